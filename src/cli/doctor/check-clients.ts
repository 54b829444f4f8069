import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { clients } from '../connect-clients.ts';
import type { Opened, Check } from './check-apis.ts';

const maxBytes = 4 * 1024 * 1024;
// Quoted strings of JSON and TOML; an unclosed one extends to the end of its line, so that each character is read once.
const quoted = /"((?:[^"\\\n]|\\.)*)("?)/g;

/** Checks the configuration files of MCP clients on this machine for entries that cannot work. */
export function checkClients(dataDir: string, opened: Opened | null): Check[] {
  const place = { home: homedir(), platform: process.platform, folder: process.cwd(), env: process.env };
  const found = [...clients.values()].flatMap((installed): Check[] => {
    const file = installed.file(place);
    const text = readIfSmall(file);
    if (text === null) return [];
    const { title, id } = installed.client;
    const problem = findProblem(text, dataDir, opened);
    if (problem === undefined) return [];
    return [
      problem === null
        ? { name: title, ok: true, detail: `${file} names this gateway` }
        : { name: title, ok: false, detail: `${file}: ${problem}`, fix: `handrail connect ${id} --write` },
    ];
  });
  if (found.length > 0) return found;
  return [
    {
      name: 'MCP clients',
      ok: true,
      detail: 'none on this machine is connected; "handrail connect CLIENT" prints the configuration',
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

/** What keeps the entries of a file from working; null if they work, undefined if none of them is ours. */
export function findProblem(text: string, dataDir: string, opened: Opened | null): string | null | undefined {
  const words = [...text.matchAll(quoted)]
    .filter(([, , end]) => end === '"')
    .map(([, word = '']) => unescaped(word));
  let isOurs = false;
  for (const [at, word] of words.entries()) {
    if (word === 'stdio' && words.slice(at, at + 5).includes('--data-dir')) {
      isOurs = true;
      const problem = commandProblem(words, at, dataDir, opened);
      if (problem !== null) return problem;
    }
    const address = addressIn(word);
    if (address === null || opened === null || !isLoopback(address)) continue;
    const [, mcp, slug] = address.pathname.split('/');
    if (mcp !== 'mcp') continue;
    isOurs = true;
    if (address.origin !== new URL(opened.listeningAt).origin)
      return `it uses ${address.origin}, but the gateway on this data folder is at ${opened.listeningAt}`;
    if (slug !== undefined && slug !== '' && !opened.servers.has(slug))
      return `the server "${slug}" no longer exists`;
  }
  return isOurs ? null : undefined;
}

function commandProblem(
  words: readonly string[],
  stdio: number,
  dataDir: string,
  opened: Opened | null,
): string | null {
  const program = words[stdio - 1];
  if (program !== undefined && /[\\/]/.test(program) && !existsSync(program))
    return `the program ${program} no longer exists`;
  const after = (option: string) => {
    const at = words.indexOf(option, stdio);
    return at < 0 || at > stdio + 5 ? undefined : words[at + 1];
  };
  const folder = after('--data-dir');
  if (folder !== undefined && resolve(folder) !== resolve(dataDir))
    return existsSync(folder) ? null : `its data folder ${folder} no longer exists`;
  const slug = after('--server');
  if (slug !== undefined && opened !== null && !opened.servers.has(slug))
    return `the server "${slug}" no longer exists`;
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
