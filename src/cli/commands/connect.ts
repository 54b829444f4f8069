import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { nameInClients } from '../../domain/names.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { type Command, type CommandInput, exitCode, oneWord, text, UsageError } from '../command.ts';
import { clientNames, clients, type Connection } from '../connect-clients.ts';
import { trimEndOf } from '../../lib/text/trim-ends.ts';
import { errorCode } from '../../lib/thrown-errors.ts';

/** Prints, or with consent writes, what an MCP client needs to use Handrail. */
export const connect: Command = {
  summary: "print or write an MCP client's configuration",
  usage: 'CLIENT [--server SLUG] [--url URL] [--key KEY] [--write]',
  options: {
    server: { type: 'string', value: 'SLUG', about: 'The server to connect to; every tool without it.' },
    key: {
      type: 'string',
      value: 'KEY',
      about: 'Access key for the configuration; a file of a project gets a place for it instead.',
    },
    name: { type: 'string', value: 'NAME', about: 'What the client will call it; handrail without it.' },
    write: {
      type: 'boolean',
      about: "Change the client's configuration file instead of printing; a copy of it is kept beside it.",
    },
  },
  examples: [
    'handrail connect claude-desktop',
    'handrail connect cursor --server weather --write',
    'handrail connect vscode --url https://gateway.example.com --key hrk_…',
  ],
  async run(input) {
    const wanted = oneWord(input, `the client (one of ${clientNames.join(', ')})`).toLowerCase();
    const client = Object.hasOwn(clients, wanted) ? clients[wanted] : undefined;
    if (!client) throw new UsageError(`there is no client "${wanted}": use one of ${clientNames.join(', ')}`);
    const connection = connectionOf(input);
    const hasKey = 'url' in connection && Object.keys(connection.headers).length > 0;
    const file = behindLinks(
      client.file({ home: homedir(), platform: process.platform, folder: process.cwd(), env: process.env }),
    );
    if (input.options['write'] === true) {
      if (!client.merge)
        throw new UsageError(
          `${client.title} keeps its servers elsewhere: leave --write out and follow what is printed`,
        );
      const before = readIfThere(file);
      const after = client.merge(before ?? '', connection);
      const backup = before === null || before === after ? null : `${file}.before-handrail`;
      if (backup !== null) write(backup, before!, modeOf(file));
      if (before !== after) write(file, after, modeOf(file));
      if (input.json) input.print(JSON.stringify({ client: wanted, file, backup }));
      else {
        input.print(`${client.title} now knows "${connection.name}" (${file}). Restart it to use it.`);
        if (hasKey && client.forTheKey !== undefined) input.print(client.forTheKey);
        if (backup !== null) input.print(`What the file held before is in ${backup}.`);
      }
      return exitCode.ok;
    }
    if (input.json) {
      input.print(JSON.stringify({ client: wanted, file, content: client.show(connection) }));
      return exitCode.ok;
    }
    input.print(`${client.title}: ${client.hint(file)}`);
    input.print('');
    input.print(client.show(connection));
    if (hasKey && client.forTheKey !== undefined && !client.show(connection).includes(text(input, 'key')!)) {
      input.print('');
      input.print(client.forTheKey);
    }
    return exitCode.ok;
  },
};

function connectionOf(input: CommandInput): Connection {
  const slug = text(input, 'server');
  const key = text(input, 'key');
  // This very installation: a name that is on no registry would start whatever somebody puts there.
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

/** The address of a server, whether the gateway's own was given or one below it, and which server that is. */
function addressOf(given: string, slug: string | undefined): { url: string; server: string | undefined } {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw new UsageError(`--url ${given} is not an address such as https://gateway.example.com`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError('--url has to begin with http:// or https://');
  const path = trimEndOf(url.pathname, '/');
  const named = /\/mcp\/([^/]+)$/.exec(path)?.[1];
  if (named !== undefined && slug !== undefined && slug !== named)
    throw new UsageError(`--url names the server "${named}" and --server "${slug}": leave one of them out`);
  const mcp = /\/mcp(?:\/[^/]+)?$/.test(path) ? path : `${path}/mcp`;
  url.pathname =
    named === undefined && slug !== undefined && slug !== defaultServerSlug ? `${mcp}/${slug}` : mcp;
  return { url: url.href, server: named ?? slug };
}

// Who keeps configurations in one place links to them; the link has to stay one.
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

// Written beside and moved into place: a client that reads meanwhile sees the old file or the new one.
function write(file: string, content: string, mode: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = join(dirname(file), `.handrail-${process.pid}.tmp`);
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

// A new file may come to hold a key; one that is there keeps the rights its owner gave it.
function modeOf(file: string): number {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return 0o600;
  }
}
