/** Where a client finds a server, and what lets it in. */
export interface Connection {
  readonly name: string;
  readonly url: string;
  /** Sent with every request; empty for an open server. */
  readonly headers: Readonly<Record<string, string>>;
  /** What starts Handrail on this gateway's machine; null when it is not known. */
  readonly program: readonly string[] | null;
}

/** How one client is told about a server. */
export interface ClientSetup {
  readonly id: string;
  readonly name: string;
  /** The file the text belongs in; null for a command. */
  readonly file: string | null;
  readonly text: (connection: Connection) => string;
  /** Whether the file belongs to a project, where no key may stand: the client asks for it. */
  readonly asksForKey?: true;
  /** Opens the client with everything filled in. */
  readonly link?: (connection: Connection) => string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const hasHeaders = ({ headers }: Connection): boolean => Object.keys(headers).length > 0;
const withHeaders = (connection: Connection) =>
  hasHeaders(connection) ? { headers: connection.headers } : {};
const quote = (text: string): string =>
  /^[\w:/.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Base64 of a text's UTF-8 bytes. */
function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** No other device finds this one under such a name. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** For VS Code: headers with a place for the key, which it asks its user for and keeps. */
function askedKey({ name, headers }: Connection): { readonly inputs: object; readonly headers: object } {
  if (Object.keys(headers).length === 0) return { inputs: {}, headers: {} };
  const id = `${name}-key`;
  const places = Object.entries(headers).map(([header, value]) => [
    header,
    `${/^(?:Bearer|Basic) /.exec(value)?.[0] ?? ''}\${input:${id}}`,
  ]);
  const input = { type: 'promptString', id, description: `Access key of ${name}`, password: true };
  return { inputs: { inputs: [input] }, headers: { headers: Object.fromEntries(places) as object } };
}

/** The clients people use, each with the configuration it reads. */
export const clients: readonly ClientSetup[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    file: null,
    text: ({ name, url, headers }) =>
      [
        'claude mcp add --transport http',
        quote(name),
        quote(url),
        ...Object.entries(headers).map(([key, value]) => `--header ${quote(`${key}: ${value}`)}`),
      ].join(' '),
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    file: 'claude_desktop_config.json',
    // Its configuration file starts local programs only, so our own bridge carries the requests to us.
    text: ({ name, url, headers, program }) => {
      const [key] = Object.values(headers);
      // Never a package by its name: it would run whatever a registry has under it.
      const [command = 'handrail', ...file] = (isLoopback(url) ? program : null) ?? [];
      const bridge = {
        command,
        args: [...file, 'stdio', '--url', url],
        ...(key !== undefined && { env: { HANDRAIL_KEY: key.replace(/^Bearer /, '') } }),
      };
      return json({ mcpServers: { [name]: bridge } });
    },
  },
  {
    id: 'cursor',
    name: 'Cursor',
    file: '~/.cursor/mcp.json',
    text: (connection) =>
      json({ mcpServers: { [connection.name]: { url: connection.url, ...withHeaders(connection) } } }),
    link: (connection) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(connection.name)}&config=${encodeURIComponent(base64(JSON.stringify({ url: connection.url, ...withHeaders(connection) })))}`,
  },
  {
    id: 'vscode',
    name: 'VS Code',
    file: '.vscode/mcp.json',
    asksForKey: true,
    text: (connection) => {
      const { inputs, headers } = askedKey(connection);
      return json({
        ...inputs,
        servers: { [connection.name]: { type: 'http', url: connection.url, ...headers } },
      });
    },
    link: (connection) => {
      const { inputs, headers } = askedKey(connection);
      const config = { name: connection.name, type: 'http', url: connection.url, ...headers, ...inputs };
      return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`;
    },
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    text: (connection) =>
      json({ mcpServers: { [connection.name]: { serverUrl: connection.url, ...withHeaders(connection) } } }),
  },
  {
    id: 'zed',
    name: 'Zed',
    file: '~/.config/zed/settings.json',
    text: (connection) =>
      json({
        context_servers: {
          [connection.name]: { source: 'custom', url: connection.url, ...withHeaders(connection) },
        },
      }),
  },
  {
    id: 'codex',
    name: 'Codex',
    file: '~/.codex/config.toml',
    text: ({ name, url, headers }) =>
      [
        `[mcp_servers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]`,
        `url = ${JSON.stringify(url)}`,
        ...(Object.keys(headers).length === 0
          ? []
          : [
              `http_headers = { ${Object.entries(headers)
                .map(([key, value]) => `${JSON.stringify(key)} = ${JSON.stringify(value)}`)
                .join(', ')} }`,
            ]),
      ].join('\n'),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    text: (connection) =>
      json({ mcpServers: { [connection.name]: { httpUrl: connection.url, ...withHeaders(connection) } } }),
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    file: '~/.config/opencode/opencode.json',
    text: (connection) =>
      json({
        mcp: {
          [connection.name]: {
            type: 'remote',
            url: connection.url,
            ...withHeaders(connection),
          },
        },
      }),
  },
];
