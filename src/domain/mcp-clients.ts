/** How a client reaches Handrail: a program it starts, or a URL. */
export type Connection = { readonly name: string } & (
  | { readonly command: string; readonly args: readonly string[] }
  | AddressConnection
);

/** How a client reaches a gateway at its URL. */
export interface AddressConnection {
  readonly name: string;
  readonly url: string;
  /** Sent with every request; empty for an open server. */
  readonly headers: Readonly<Record<string, string>>;
  /** The program and its first arguments that relay messages there, for clients that can only start programs. */
  readonly bridge: readonly [program: string, ...args: string[]];
}

/** A server in a client's configuration. */
export type ClientEntry = Readonly<Record<string, unknown>>;

/** A value that VS Code asks its user for and stores. */
export interface AskedInput extends ClientEntry {
  readonly id: string;
}

/** One MCP client: its name, and how a server is configured in it. */
export interface McpClient {
  /** Its name for `handrail connect`. */
  readonly id: string;
  readonly title: string;
  /** The file that the configuration belongs in, as its users know it; null for a command to run. */
  readonly file: string | null;
  /** The path to the servers in its JSON; null for a client that is not configured with JSON. */
  readonly at: readonly string[] | null;
  /** The entry for one server there. */
  entry(connection: Connection): ClientEntry;
  /** What to paste or run. */
  show(connection: Connection): string;
  /** Its file belongs to a project and must not contain the key, which is asked for or read from elsewhere. */
  readonly keyIsApart?: true;
  /** A URL that opens it with everything filled in. */
  link?(connection: AddressConnection): string;
}

/** What a client that keeps the key out of the project asks its user for; null if there is no key. */
export function askedInput({ name, headers }: AddressConnection): AskedInput | null {
  if (Object.keys(headers).length === 0) return null;
  return { type: 'promptString', id: `${name}-key`, description: `Access key of ${name}`, password: true };
}

/** The same with a placeholder for the key: everyone with access to the project can see its files. */
export function withoutKey(connection: Connection, place: string): Connection {
  if ('command' in connection) return connection;
  const headers = Object.entries(connection.headers).map(([name, value]) => [
    name,
    `${/^(?:Bearer|Basic) /.exec(value)?.[0] ?? ''}${place}`,
  ]);
  return { ...connection, headers: Object.fromEntries(headers) };
}

const startsPrograms = (connection: Connection): ClientEntry => {
  if ('command' in connection) return { command: connection.command, args: [...connection.args] };
  // Clients that can only start programs use one to reach a URL.
  const [program, ...args] = connection.bridge;
  const [key] = Object.values(connection.headers);
  return {
    command: program,
    args: [...args, 'stdio', '--url', connection.url],
    ...(key !== undefined && { env: { HANDRAIL_KEY: key.replace(/^Bearer /, '') } }),
  };
};

const withUrl =
  (key: string, more: ClientEntry = {}) =>
  (connection: Connection): ClientEntry =>
    'command' in connection
      ? startsPrograms(connection)
      : {
          ...more,
          [key]: connection.url,
          ...(Object.keys(connection.headers).length > 0 && { headers: { ...connection.headers } }),
        };

/** A client that keeps servers as an object in a JSON file. */
function jsonClient(
  id: string,
  title: string,
  file: string,
  at: readonly [string],
  entry: McpClient['entry'],
  more: Partial<McpClient> = {},
): McpClient {
  return {
    id,
    title,
    file,
    at,
    entry,
    show: (connection) => json({ [at[0]]: { [connection.name]: entry(connection) } }),
    ...more,
  };
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
const toml = (text: string): string => JSON.stringify(text);

/** Base64 of a text's UTF-8 bytes, in a browser too. */
function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

function vscodeEntry(connection: Connection): ClientEntry {
  if ('command' in connection) return { type: 'stdio', ...startsPrograms(connection) };
  return withUrl('url', { type: 'http' })(withoutKey(connection, `\${input:${askedInput(connection)?.id}}`));
}

function inputsOf(connection: Connection): { readonly inputs?: readonly AskedInput[] } {
  const input = 'url' in connection ? askedInput(connection) : null;
  return input === null ? {} : { inputs: [input] };
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

function claudeCodeCommand(connection: Connection): string {
  if ('command' in connection)
    return `claude mcp add ${quote(connection.name)} -- ${[connection.command, ...connection.args].map(quote).join(' ')}`;
  const headers = Object.entries(connection.headers).map(
    ([name, value]) => ` --header ${quote(`${name}: ${value}`)}`,
  );
  return `claude mcp add --transport http ${quote(connection.name)} ${quote(connection.url)}${headers.join('')}`;
}

/** Common clients, configured as their documentation says; the single list for the app and the command line. */
export const mcpClients: readonly McpClient[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    file: null,
    at: ['mcpServers'],
    entry: (connection) => withUrl('url', { type: 'http' })(withoutKey(connection, '${HANDRAIL_KEY}')),
    show: claudeCodeCommand,
  },
  jsonClient(
    'claude-desktop',
    'Claude Desktop',
    'claude_desktop_config.json',
    ['mcpServers'],
    startsPrograms,
  ),
  jsonClient('cursor', 'Cursor', '~/.cursor/mcp.json', ['mcpServers'], withUrl('url'), {
    link: (connection) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(connection.name)}&config=${encodeURIComponent(base64(JSON.stringify(withUrl('url')(connection))))}`,
  }),
  jsonClient('vscode', 'VS Code', '.vscode/mcp.json', ['servers'], vscodeEntry, {
    keyIsApart: true,
    show: (connection) =>
      json({ ...inputsOf(connection), servers: { [connection.name]: vscodeEntry(connection) } }),
    link: (connection) =>
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: connection.name, ...vscodeEntry(connection), ...inputsOf(connection) }))}`,
  }),
  jsonClient(
    'windsurf',
    'Windsurf',
    '~/.codeium/windsurf/mcp_config.json',
    ['mcpServers'],
    withUrl('serverUrl'),
  ),
  jsonClient('zed', 'Zed', '~/.config/zed/settings.json', ['context_servers'], (connection) => ({
    source: 'custom',
    ...withUrl('url')(connection),
  })),
  {
    id: 'codex',
    title: 'Codex',
    file: '~/.codex/config.toml',
    at: null,
    entry: withUrl('url'),
    show: codexTable,
  },
  jsonClient('gemini-cli', 'Gemini CLI', '~/.gemini/settings.json', ['mcpServers'], withUrl('httpUrl')),
  jsonClient('opencode', 'OpenCode', '~/.config/opencode/opencode.json', ['mcp'], (connection) =>
    'command' in connection
      ? { type: 'local', command: [connection.command, ...connection.args] }
      : withUrl('url', { type: 'remote' })(connection),
  ),
  jsonClient(
    'cline',
    'Cline',
    'cline_mcp_settings.json',
    ['mcpServers'],
    withUrl('url', { type: 'streamableHttp' }),
  ),
  jsonClient('lm-studio', 'LM Studio', '~/.lmstudio/mcp.json', ['mcpServers'], withUrl('url')),
  jsonClient(
    'amazon-q',
    'Amazon Q',
    '~/.aws/amazonq/mcp.json',
    ['mcpServers'],
    withUrl('url', { type: 'http' }),
  ),
];
