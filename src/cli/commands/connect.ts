import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { nameInClients } from '../../domain/names.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { type Command, type CommandInput, exitCode, oneWord, text, UsageError } from '../command.ts';
import type { Connection, McpClient } from '../../domain/mcp-clients.ts';
import { clientNames, clients, type InstalledClient, placeHere } from '../connect-clients.ts';
import { bundleOf } from '../desktop-bundle.ts';
import { showDone } from '../show.ts';
import { version } from '../../version.ts';
import { trimEndOf } from '../../lib/text/tidy-text.ts';
import { errorCode } from '../../lib/thrown-errors.ts';

/** Prints or, with --write, changes an MCP client's configuration so that it uses Handrail. */
export const connect: Command = {
  summary: "print or write an MCP client's configuration",
  usage: 'CLIENT [--server SLUG] [--url URL] [--key KEY] [--write | --link | --bundle]',
  options: {
    server: {
      type: 'string',
      value: 'SLUG',
      about: 'The server to connect to; by default the server with every tool.',
    },
    key: {
      type: 'string',
      value: 'KEY',
      about: 'Access key for the configuration; a project file gets a placeholder instead.',
    },
    name: { type: 'string', value: 'NAME', about: 'Name of the connection in the client; default handrail.' },
    write: {
      type: 'boolean',
      about:
        "Change the client's configuration file instead of printing; a backup copy is stored next to it.",
    },
    link: {
      type: 'boolean',
      about: 'Print a link that opens Cursor or VS Code with everything filled in; needs --url.',
    },
    bundle: {
      type: 'boolean',
      about: 'Write a bundle (NAME.mcpb) to this folder; open it to install it in Claude Desktop.',
    },
  },
  examples: [
    'handrail connect claude-desktop',
    'handrail connect cursor --server weather --write',
    'handrail connect vscode --url https://gateway.example.com --key hrk_…',
    'handrail connect cursor --url https://gateway.example.com --link',
    'handrail connect claude-desktop --bundle',
  ],
  async run(input) {
    const wanted = oneWord(input, `the client (one of ${clientNames.join(', ')})`).toLowerCase();
    const installed = clients.get(wanted);
    if (!installed)
      throw new UsageError(`there is no client "${wanted}": use one of ${clientNames.join(', ')}`);
    const { client } = installed;
    const connection = connectionOf(input);
    if (input.options['link'] === true) return showLink(input, client, connection);
    if (input.options['bundle'] === true) return writeBundle(input, client, connection);
    const hasKey = 'url' in connection && Object.keys(connection.headers).length > 0;
    if (input.options['write'] === true) {
      const { file, backup } = addToClient(installed, connection);
      if (input.json) input.print(JSON.stringify({ client: wanted, file, backup }));
      else {
        input.print(`Added "${connection.name}" to ${client.title} (${file}). Restart the client to use it.`);
        if (hasKey && installed.keyAdvice !== undefined) input.print(installed.keyAdvice);
        if (backup !== null) input.print(`The previous version of the file is in ${backup}.`);
      }
      return exitCode.ok;
    }
    const file = fileOf(installed);
    if (input.json) {
      input.print(JSON.stringify({ client: wanted, file, content: client.show(connection) }));
      return exitCode.ok;
    }
    input.print(`${client.title}: ${client.file === null ? 'run this' : `add this to ${file}`}`);
    input.print('');
    input.print(client.show(connection));
    const { keyAdvice } = installed;
    if (hasKey && keyAdvice !== undefined && !client.show(connection).includes(text(input, 'key')!)) {
      input.print('');
      input.print(keyAdvice);
    }
    return exitCode.ok;
  },
};

/** Adds a server to a client's configuration file, and keeps a copy of what was there before. */
export function addToClient(
  installed: InstalledClient,
  connection: Connection,
): { readonly file: string; readonly backup: string | null } {
  const file = fileOf(installed);
  const before = readIfThere(file);
  const after = installed.merge(before ?? '', connection);
  const backup = before === null || before === after ? null : `${file}.before-handrail`;
  if (backup !== null) write(backup, before!, modeOf(file));
  if (before !== after) write(file, after, modeOf(file));
  return { file, backup };
}

/** The configuration file of a client, where it really is. */
export function fileOf(installed: InstalledClient): string {
  return behindLinks(installed.file(placeHere()));
}

function showLink(input: CommandInput, client: McpClient, connection: Connection): number {
  if (!client.link) throw new UsageError(`${client.title} does not support links: omit --link`);
  if (!('url' in connection)) throw new UsageError('--link needs --url: a link cannot start a local program');
  const link = client.link(connection);
  return showDone(input, link, { client: client.id, link });
}

function writeBundle(input: CommandInput, client: McpClient, connection: Connection): number {
  if (client.id !== 'claude-desktop')
    throw new UsageError(`${client.title} does not support bundles, only claude-desktop does: omit --bundle`);
  const file = resolve(`${connection.name.replaceAll(/[^\w.-]/g, '-')}.mcpb`);
  write(file, bundleOf(connection, version), modeOf(file));
  const { headers } = 'url' in connection ? connection : { headers: {} };
  const asks = Object.keys(headers).length > 0 ? ' It asks for the key, which is not in the bundle.' : '';
  return showDone(input, `${file}: open it with Claude Desktop to install it.${asks}`, {
    client: client.id,
    file,
  });
}

function connectionOf(input: CommandInput): Connection {
  const slug = text(input, 'server');
  const key = text(input, 'key');
  // The path of this installation: an unclaimed package name would start whatever someone publishes under it.
  const program = [process.execPath, resolve(process.argv[1]!)] as const;
  const nameFor = (server: string | undefined) =>
    text(input, 'name') ?? nameInClients(server ?? defaultServerSlug);
  if (input.url !== undefined) {
    const { url, server } = addressOf(input.url, slug);
    return {
      name: nameFor(server),
      url,
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      bridge: program,
    };
  }
  const args = [
    ...(slug === undefined ? [] : ['--server', slug]),
    '--data-dir',
    resolve(input.config.dataDir),
  ];
  return {
    name: nameFor(slug),
    command: program[0],
    args: [program[1], 'stdio', ...args],
  };
}

/** The URL and slug of a server, given the gateway's URL or one below it. */
function addressOf(given: string, slug: string | undefined): { url: string; server: string | undefined } {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw new UsageError(`--url ${given} is not a valid URL such as https://gateway.example.com`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError('--url must start with http:// or https://');
  const path = trimEndOf(url.pathname, '/');
  const named = /\/mcp\/([^/]+)$/.exec(path)?.[1];
  if (named !== undefined && slug !== undefined && slug !== named)
    throw new UsageError(`--url names the server "${named}" and --server "${slug}": omit one of them`);
  const mcp = /\/mcp(?:\/[^/]+)?$/.test(path) ? path : `${path}/mcp`;
  url.pathname =
    named === undefined && slug !== undefined && slug !== defaultServerSlug ? `${mcp}/${slug}` : mcp;
  return { url: url.href, server: named ?? slug };
}

// Some people keep configurations in one place and link to them; the link must be preserved.
function behindLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

// Written to a temporary file and moved into place, so that a client never reads a partial file.
function write(file: string, content: string | Buffer, mode: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = join(dirname(file), `.handrail-${process.pid}.tmp`);
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

// A new file may contain a key, so only its owner can read it; an existing one keeps its permissions.
function modeOf(file: string): number {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return 0o600;
  }
}
