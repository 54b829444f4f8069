import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addToJsoncList, JsoncError, setInJsonc } from '../lib/json/edit-jsonc.ts';
import { UsageError } from './command.ts';

/** How a client reaches Handrail: a program it starts, or an address. */
export type Connection = { readonly name: string } & (
  | { readonly command: string; readonly args: readonly string[] }
  | {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The program and the file that carry messages there, for clients that only start programs. */
      readonly bridge: readonly [program: string, file: string];
    }
);

/** Where on this machine a client might keep its configuration. */
interface Place {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The project folder, for clients that keep servers per project. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** One MCP client: where it keeps servers and how it writes one. */
interface McpClient {
  readonly title: string;
  file(place: Place): string;
  hint(file: string): string;
  /** What is left to do for its user, who has a key. */
  readonly forTheKey?: string;
  show(connection: Connection): string;
  /** The file's new content; absent for clients that are configured by a command. */
  merge?(content: string, connection: Connection): string;
}

type Entry = Record<string, unknown>;

const stdioOnly = (connection: Connection): Entry => {
  if ('command' in connection) return { command: connection.command, args: [...connection.args] };
  // Clients that only start programs reach an address through one.
  const [key] = Object.values(connection.headers);
  return {
    command: connection.bridge[0],
    args: [connection.bridge[1], 'stdio', '--url', connection.url],
    ...(key !== undefined && { env: { HANDRAIL_KEY: key.replace(/^Bearer /, '') } }),
  };
};
const withUrl =
  (key: string, more: Entry = {}) =>
  (connection: Connection): Entry =>
    'command' in connection
      ? stdioOnly(connection)
      : { ...more, [key]: connection.url, ...headersOf(connection) };

function headersOf(connection: { readonly headers: Readonly<Record<string, string>> }): Entry {
  return Object.keys(connection.headers).length > 0 ? { headers: { ...connection.headers } } : {};
}

/** A client that keeps servers as an object in a JSON file, with or without comments. */
function jsonClient(
  title: string,
  file: McpClient['file'],
  at: readonly string[],
  entry: (connection: Connection) => Entry,
): McpClient {
  return {
    title,
    file,
    hint: (path) => `add this to ${path}`,
    show: (connection) => setInJsonc('', [...at, connection.name], entry(connection)).trimEnd(),
    merge: (content, connection) => mergeJson(title, content, [...at, connection.name], entry(connection)),
  };
}

function mergeJson(title: string, content: string, path: readonly string[], entry: Entry): string {
  return readable(title, () => setInJsonc(content, path, entry));
}

function readable(title: string, edit: () => string): string {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw new UsageError(
      `${title}'s configuration file cannot be changed, because ${error.message}: leave --write out and add the entry by hand`,
    );
  }
}

const appData = ({ home, platform, env }: Place, ...path: string[]) => {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', ...path);
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), ...path);
  return join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), ...path);
};

const quote = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
const toml = (text: string) => JSON.stringify(text);

/** Every client `handrail connect` knows, by the name it is asked for. */
export const clients: Readonly<Record<string, McpClient>> = {
  'claude-desktop': jsonClient(
    'Claude Desktop',
    (place) => appData(place, 'Claude', 'claude_desktop_config.json'),
    ['mcpServers'],
    stdioOnly,
  ),
  'claude-code': {
    title: 'Claude Code',
    file: ({ folder }) => join(folder, '.mcp.json'),
    hint: () => 'run this',
    forTheKey: `The key is not in the project's file, because projects are shared: set HANDRAIL_KEY where Claude Code is started.`,
    show: (connection) =>
      'command' in connection
        ? `claude mcp add ${quote(connection.name)} -- ${[connection.command, ...connection.args].map(quote).join(' ')}`
        : `claude mcp add --transport http ${quote(connection.name)} ${quote(connection.url)}${Object.entries(
            connection.headers,
          )
            .map(([name, value]) => ` --header ${quote(`${name}: ${value}`)}`)
            .join('')}`,
    merge: (content, connection) =>
      mergeJson(
        'Claude Code',
        content,
        ['mcpServers', connection.name],
        withUrl('url', { type: 'http' })(withoutKey(connection, '${HANDRAIL_KEY}')),
      ),
  },
  cursor: jsonClient(
    'Cursor',
    ({ home }) => join(home, '.cursor', 'mcp.json'),
    ['mcpServers'],
    withUrl('url'),
  ),
  vscode: {
    title: 'VS Code',
    file: ({ folder }) => join(folder, '.vscode', 'mcp.json'),
    hint: (path) => `add this to ${path}`,
    forTheKey: 'The key is not in it, because projects are shared: VS Code asks for it and keeps it.',
    show: (connection) => vscodeFile('', connection).trimEnd(),
    merge: vscodeFile,
  },
  windsurf: jsonClient(
    'Windsurf',
    ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    ['mcpServers'],
    withUrl('serverUrl'),
  ),
  zed: jsonClient(
    'Zed',
    (place) =>
      place.platform === 'darwin'
        ? join(place.home, '.config', 'zed', 'settings.json')
        : appData(place, 'zed', 'settings.json'),
    ['context_servers'],
    (connection) => ({
      source: 'custom',
      ...('command' in connection ? stdioOnly(connection) : withUrl('url')(connection)),
    }),
  ),
  codex: {
    title: 'Codex',
    file: ({ home, env }) => join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
    hint: (path) => `add this to ${path}`,
    show: codexTable,
    merge(content, connection) {
      const { name } = connection;
      const taken = content
        .split(/\r?\n/)
        .map((line) => line.replaceAll(/\s/g, ''))
        .some((line) =>
          [name, toml(name), `'${name}'`].some((key) => line.startsWith(`[mcp_servers.${key}]`)),
        );
      if (taken)
        throw new UsageError(
          `Codex already has a server "${name}": change it by hand, or choose another --name`,
        );
      return `${content.trimEnd()}${content.trim() === '' ? '' : '\n\n'}${codexTable(connection)}\n`;
    },
  },
  'gemini-cli': jsonClient(
    'Gemini CLI',
    ({ home }) => join(home, '.gemini', 'settings.json'),
    ['mcpServers'],
    withUrl('httpUrl'),
  ),
  opencode: {
    title: 'OpenCode',
    file(place) {
      const folder = join(place.env['XDG_CONFIG_HOME'] ?? join(place.home, '.config'), 'opencode');
      const commented = join(folder, 'opencode.jsonc');
      return existsSync(commented) ? commented : join(folder, 'opencode.json');
    },
    hint: (path) => `add this to ${path}`,
    show: (connection) => setInJsonc('', ['mcp', connection.name], opencodeEntry(connection)).trimEnd(),
    // Version 2 reads the places of version 1 as well; whoever has moved to its own keeps the new entry there.
    merge: (content, connection) =>
      mergeJson(
        'OpenCode',
        content,
        [...(/"mcp"\s*:\s*\{\s*"servers"\s*:/.test(content) ? ['mcp', 'servers'] : ['mcp']), connection.name],
        opencodeEntry(connection),
      ),
  },
  cline: jsonClient(
    'Cline',
    (place) => {
      const name = 'cline_mcp_settings.json';
      const extension = appData(place, 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev');
      // The command line has a folder of its own, which the extension for VS Code does not read.
      const ownFolder = join(place.env['CLINE_DIR'] ?? join(place.home, '.cline'), 'data');
      const folder = existsSync(extension) || !existsSync(ownFolder) ? extension : ownFolder;
      return place.env['CLINE_MCP_SETTINGS_PATH'] ?? join(folder, 'settings', name);
    },
    ['mcpServers'],
    withUrl('url', { type: 'streamableHttp' }),
  ),
  'lm-studio': jsonClient(
    'LM Studio',
    ({ home }) => join(home, '.lmstudio', 'mcp.json'),
    ['mcpServers'],
    withUrl('url'),
  ),
  'amazon-q': jsonClient(
    'Amazon Q',
    ({ home }) => join(home, '.aws', 'amazonq', 'mcp.json'),
    ['mcpServers'],
    withUrl('url', { type: 'http' }),
  ),
};

/** The same with a place for the key instead of the key: what stands in a project's file is seen by all who have the project. */
function withoutKey(connection: Connection, place: string): Connection {
  if ('command' in connection) return connection;
  const headers = Object.entries(connection.headers).map(([name, value]) => [
    name,
    `${/^(?:Bearer|Basic) /.exec(value)?.[0] ?? ''}${place}`,
  ]);
  return { ...connection, headers: Object.fromEntries(headers) };
}

function vscodeFile(content: string, connection: Connection): string {
  const { name } = connection;
  const path = ['servers', name];
  if ('command' in connection)
    return mergeJson('VS Code', content, path, { type: 'stdio', ...stdioOnly(connection) });
  const input = {
    type: 'promptString',
    id: `${name}-key`,
    description: `Access key of ${name}`,
    password: true,
  };
  const entry = withUrl('url', { type: 'http' })(withoutKey(connection, `\${input:${input.id}}`));
  const asking = Object.keys(connection.headers).length === 0 ? content : addInput(content, input);
  return mergeJson('VS Code', asking, path, entry);
}

function addInput(content: string, input: Entry & { readonly id: string }): string {
  return readable('VS Code', () => addToJsoncList(content, 'inputs', input));
}

function opencodeEntry(connection: Connection): Entry {
  return 'command' in connection
    ? { type: 'local', command: [connection.command, ...connection.args] }
    : withUrl('url', { type: 'remote' })(connection);
}

function codexTable(connection: Connection): string {
  const key = /^[\w-]+$/.test(connection.name) ? connection.name : toml(connection.name);
  const lines = [`[mcp_servers.${key}]`];
  if ('command' in connection) {
    lines.push(`command = ${toml(connection.command)}`, `args = [${connection.args.map(toml).join(', ')}]`);
  } else {
    lines.push(`url = ${toml(connection.url)}`);
    const headers = Object.entries(connection.headers).map(
      ([name, value]) => `${toml(name)} = ${toml(value)}`,
    );
    if (headers.length > 0) lines.push(`http_headers = { ${headers.join(', ')} }`);
  }
  return lines.join('\n');
}

/** The names that `handrail connect` takes. */
export const clientNames: readonly string[] = Object.keys(clients);
