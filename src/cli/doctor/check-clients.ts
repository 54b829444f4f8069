import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { clients } from '../connect-clients.ts';
import type { Opened, Check } from './check-apis.ts';

const maxBytes = 4 * 1024 * 1024;
// Texts in quotes, as JSON and TOML have them; one that is not closed is taken as far as its line, so that each character is read once.
const quoted = /"((?:[^"\\\n]|\\.)*)("?)/g;

/** Looks into the configuration files of the MCP clients on this machine for entries that cannot work. */
export function checkClients(dataDir: string, opened: Opened | null): Check[] {
  const place = { home: homedir(), platform: process.platform, folder: process.cwd(), env: process.env };
  const found = [...clients.values()].flatMap((installed): Check[] => {
    const file = installed.file(place);
    const text = readIfSmall(file);
    if (text === null) return [];
    const { title, id } = installed.client;
    const trouble = troubleIn(text, dataDir, opened);
    if (trouble === undefined) return [];
    return [
      trouble === null
        ? { name: title, ok: true, detail: `${file} names this gateway` }
        : { name: title, ok: false, detail: `${file}: ${trouble}`, fix: `handrail connect ${id} --write` },
    ];
  });
  if (found.length > 0) return found;
  return [
    {
      name: 'MCP clients',
      ok: true,
      detail: 'none on this machine is connected; "handrail connect CLIENT" shows how',
    },
  ];
}

function readIfSmall(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length <= maxBytes ? text : null;
  } catch {
    return null;
  }
}

/** What keeps the entries of a file from working; null when nothing does, undefined when none is ours. */
export function troubleIn(text: string, dataDir: string, opened: Opened | null): string | null | undefined {
  const words = [...text.matchAll(quoted)]
    .filter(([, , end]) => end === '"')
    .map(([, word = '']) => unescaped(word));
  let isOurs = false;
  for (const [at, word] of words.entries()) {
    if (word === 'stdio' && words.slice(at, at + 5).includes('--data-dir')) {
      isOurs = true;
      const trouble = commandTrouble(words, at, dataDir, opened);
      if (trouble !== null) return trouble;
    }
    const address = addressIn(word);
    if (address === null || opened === null || !isLoopback(address)) continue;
    const [, mcp, slug] = address.pathname.split('/');
    if (mcp !== 'mcp') continue;
    isOurs = true;
    if (address.origin !== new URL(opened.listeningAt).origin)
      return `it asks ${address.origin}, but the gateway on this data folder is at ${opened.listeningAt}`;
    if (slug !== undefined && slug !== '' && !opened.servers.has(slug))
      return `there is no server "${slug}" any more`;
  }
  return isOurs ? null : undefined;
}

function commandTrouble(
  words: readonly string[],
  stdio: number,
  dataDir: string,
  opened: Opened | null,
): string | null {
  const program = words[stdio - 1];
  if (program !== undefined && /[\\/]/.test(program) && !existsSync(program))
    return `the program ${program} is no longer there`;
  const after = (option: string) => {
    const at = words.indexOf(option, stdio);
    return at < 0 || at > stdio + 5 ? undefined : words[at + 1];
  };
  const folder = after('--data-dir');
  if (folder !== undefined && resolve(folder) !== resolve(dataDir))
    return existsSync(folder) ? null : `its data folder ${folder} is no longer there`;
  const slug = after('--server');
  if (slug !== undefined && opened !== null && !opened.servers.has(slug))
    return `there is no server "${slug}" any more`;
  return null;
}

function unescaped(word: string): string {
  try {
    return String(JSON.parse(`"${word}"`));
  } catch {
    return word;
  }
}

function addressIn(word: string): URL | null {
  return /^https?:\/\//.test(word) && URL.canParse(word) ? new URL(word) : null;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
