import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { askedInput, type Connection, mcpClients, type McpClient } from '../domain/mcp-clients.ts';
import { addToJsoncList, JsoncError, setInJsonc } from '../lib/json/edit-jsonc.ts';
import { UsageError } from './command.ts';

/** What the location of a client's configuration depends on. */
export interface Place {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The project folder, for clients that keep servers per project. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A client on this machine: where its file is, and how a server is added to it. */
export interface InstalledClient {
  readonly client: McpClient;
  file(place: Place): string;
  /** What a user with a key still has to do. */
  readonly keyAdvice?: string;
  /** The file's new content. */
  merge(content: string, connection: Connection): string;
}

const appData = ({ home, platform, env }: Place, ...path: string[]) => {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', ...path);
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), ...path);
  return join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), ...path);
};

/** The files of the clients, by their ids. */
const files: Readonly<Record<string, (place: Place) => string>> = {
  'claude-code': ({ folder }) => join(folder, '.mcp.json'),
  'claude-desktop': (place) => appData(place, 'Claude', 'claude_desktop_config.json'),
  cursor: ({ home }) => join(home, '.cursor', 'mcp.json'),
  vscode: ({ folder }) => join(folder, '.vscode', 'mcp.json'),
  windsurf: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
  zed: (place) =>
    place.platform === 'darwin'
      ? join(place.home, '.config', 'zed', 'settings.json')
      : appData(place, 'zed', 'settings.json'),
  codex: ({ home, env }) => join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
  'gemini-cli': ({ home }) => join(home, '.gemini', 'settings.json'),
  opencode(place) {
    const folder = join(place.env['XDG_CONFIG_HOME'] ?? join(place.home, '.config'), 'opencode');
    const commented = join(folder, 'opencode.jsonc');
    return existsSync(commented) ? commented : join(folder, 'opencode.json');
  },
  cline(place) {
    const name = 'cline_mcp_settings.json';
    const extension = appData(place, 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev');
    // Cline's command line has its own folder, which its VS Code extension does not read.
    const ownFolder = join(place.env['CLINE_DIR'] ?? join(place.home, '.cline'), 'data');
    const folder = existsSync(extension) || !existsSync(ownFolder) ? extension : ownFolder;
    return place.env['CLINE_MCP_SETTINGS_PATH'] ?? join(folder, 'settings', name);
  },
  'lm-studio': ({ home }) => join(home, '.lmstudio', 'mcp.json'),
  'amazon-q': ({ home }) => join(home, '.aws', 'amazonq', 'mcp.json'),
};

/** What a client leaves on a machine, for clients whose own file belongs to a project. */
const traces: Readonly<Record<string, (place: Place) => readonly string[]>> = {
  'claude-code': ({ home }) => [join(home, '.claude'), join(home, '.claude.json')],
  vscode: (place) => [appData(place, 'Code'), join(place.home, '.vscode')],
};

/** This process's place. */
export function placeHere(): Place {
  return { home: homedir(), platform: process.platform, folder: process.cwd(), env: process.env };
}

/** The clients that have been used on this machine. */
export function clientsHere(place: Place = placeHere()): InstalledClient[] {
  return [...clients.values()].filter((installed) => {
    const left = traces[installed.client.id]?.(place) ?? [dirname(installed.file(place))];
    return left.some((path) => existsSync(path));
  });
}

/** What a user with a key still has to do, for clients whose file must not contain it. */
const keyAdvice: Readonly<Record<string, string>> = {
  'claude-code': `The key is not in the project's file, because projects are shared: set HANDRAIL_KEY in the environment of Claude Code.`,
  vscode:
    "The key is not in the project's file, because projects are shared: VS Code asks for it and stores it.",
};

/** Clients whose files need special handling. */
const merges: Readonly<Record<string, (client: McpClient) => InstalledClient['merge']>> = {
  vscode: (client) => (content, connection) => {
    const input = 'url' in connection ? askedInput(connection) : null;
    const asking = input === null ? content : changed(client, () => addToJsoncList(content, 'inputs', input));
    return mergeJson(client, asking, ['servers'], connection);
  },
  codex: (client) => (content, connection) => {
    const { name } = connection;
    const taken = content
      .split(/\r?\n/)
      .map((line) => line.replaceAll(/\s/g, ''))
      .some((line) =>
        [name, JSON.stringify(name), `'${name}'`].some((key) => line.startsWith(`[mcp_servers.${key}]`)),
      );
    if (taken)
      throw new UsageError(
        `Codex already has a server "${name}": edit it manually, or choose another --name`,
      );
    return `${content.trimEnd()}${content.trim() === '' ? '' : '\n\n'}${client.show(connection)}\n`;
  },
  // Version 2 also reads the location of version 1; if the file already uses the new location, the entry goes there.
  opencode: (client) => (content, connection) =>
    mergeJson(
      client,
      content,
      /"mcp"\s*:\s*\{\s*"servers"\s*:/.test(content) ? ['mcp', 'servers'] : ['mcp'],
      connection,
    ),
};

/** Every client `handrail connect` supports, by name. */
export const clients: ReadonlyMap<string, InstalledClient> = new Map(
  mcpClients.map((client) => [
    client.id,
    {
      client,
      file: files[client.id]!,
      ...(keyAdvice[client.id] !== undefined && { keyAdvice: keyAdvice[client.id] }),
      merge:
        merges[client.id]?.(client) ??
        ((content, connection) => mergeJson(client, content, client.at!, connection)),
    },
  ]),
);

/** The names that `handrail connect` accepts. */
export const clientNames: readonly string[] = [...clients.keys()];

function mergeJson(
  client: McpClient,
  content: string,
  at: readonly string[],
  connection: Connection,
): string {
  return changed(client, () => setInJsonc(content, [...at, connection.name], client.entry(connection)));
}

function changed({ title }: McpClient, edit: () => string): string {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw new UsageError(
      `${title}'s configuration file cannot be changed, because ${error.message}: omit --write and add the entry manually`,
    );
  }
}
