import type { Connection } from '../domain/mcp-clients.ts';
import { zip } from '../lib/zip.ts';

/**
 * A bundle for Claude Desktop (MCPB, manifest version 0.3). For a gateway at a URL it contains a relay of its own, so that
 * it works where Handrail isn't installed; otherwise it starts this installation. It asks for the key, which Claude
 * stores in the system's keychain: bundles get shared, so they never contain a key.
 */
export function bundleOf(connection: Connection, version: string): Buffer {
  const server = serverIn(connection);
  const title = server === null ? 'Handrail' : `${server} (Handrail)`;
  const hasKey = 'url' in connection && Object.keys(connection.headers).length > 0;
  const manifest = {
    manifest_version: '0.3',
    name: connection.name,
    display_name: title,
    version,
    description:
      'url' in connection
        ? `Tools from REST APIs, provided by the Handrail gateway at ${new URL(connection.url).host}.`
        : 'Tools from REST APIs, provided by the Handrail installation on this machine.',
    author: { name: 'Handrail' },
    homepage: 'https://github.com/handrail/handrail',
    license: 'Apache-2.0',
    server: {
      type: 'node',
      entry_point: 'server/start.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/start.js'],
        env: hasKey ? { HANDRAIL_KEY: '${user_config.key}' } : {},
      },
    },
    tools_generated: true,
    compatibility: {
      ...('command' in connection && { platforms: [process.platform] }),
      runtimes: { node: '>=20.19' },
    },
    ...(hasKey && {
      user_config: {
        key: {
          type: 'string',
          title: 'Access key',
          description: `The key that "handrail keys create" printed for ${connection.url}.`,
          sensitive: true,
          required: true,
        },
      },
    }),
  };
  return zip([
    { name: 'manifest.json', content: `${JSON.stringify(manifest, null, 2)}\n` },
    {
      name: 'server/start.js',
      content:
        'url' in connection ? relayScript(connection.url) : startScript(connection.command, connection.args),
    },
  ]);
}

/** The slug of the server that a connection names; null for the one with every tool. */
function serverIn(connection: Connection): string | null {
  if ('url' in connection) return /\/mcp\/([^/?#]+)/.exec(connection.url)?.[1] ?? null;
  const at = connection.args.indexOf('--server');
  return at === -1 ? null : (connection.args[at + 1] ?? null);
}

/** Relays lines to a gateway over streamable HTTP, with nothing but what Node has. */
function relayScript(url: string): string {
  return `// Relays MCP messages between this process's input and output and a Handrail gateway.
const url = ${JSON.stringify(url)};
const key = process.env.HANDRAIL_KEY;
const versionKey = 'io.modelcontextprotocol/protocolVersion';
let session;
let revision;

function headersFor(message) {
  const claimed = message.params?._meta?.[versionKey];
  const name = message.params?.name ?? message.params?.uri;
  return {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(key && { authorization: 'Bearer ' + key }),
    ...(claimed
      ? {
          'mcp-protocol-version': claimed,
          ...(message.method && { 'mcp-method': message.method }),
          ...(typeof name === 'string' && /^[\\x20-\\x7e]+$/.test(name) && { 'mcp-name': name }),
        }
      : message.method !== 'initialize' && {
          ...(session && { 'mcp-session-id': session }),
          ...(revision && { 'mcp-protocol-version': revision }),
        }),
  };
}

function write(text) {
  const message = JSON.parse(text);
  if (message.result?.protocolVersion) revision = message.result.protocolVersion;
  // As it was written: numbers keep their digits.
  process.stdout.write(text.replace(/[\\r\\n]+/g, ' ') + '\\n');
}

async function relay(message, line) {
  try {
    const answer = await fetch(url, { method: 'POST', headers: headersFor(message), body: line });
    if (message.method === 'initialize') session = answer.headers.get('mcp-session-id') ?? undefined;
    if ((answer.headers.get('content-type') ?? '').includes('text/event-stream')) {
      let rest = '';
      for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
        const events = (rest + chunk).split(/\\r?\\n\\r?\\n/);
        rest = events.pop();
        for (const event of events) {
          const data = event.split(/\\r?\\n/).filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart());
          if (data.join('') !== '') write(data.join('\\n'));
        }
      }
      return;
    }
    const text = await answer.text();
    if (message.id === undefined) return;
    if (answer.ok && text !== '') return write(text);
    let body;
    try { body = JSON.parse(text); } catch {}
    if (body?.jsonrpc) return write(text);
    throw new Error(answer.status === 401 ? 'The access key was rejected.' : 'The gateway answered HTTP ' + answer.status + '.');
  } catch (error) {
    if (message.id === undefined) return;
    const reason = error.cause?.code ?? error.message;
    write(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'The gateway at ' + new URL(url).host + ' could not be used: ' + reason } }));
  }
}

let opening = Promise.resolve();
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line.trim() === '') return;
    let message;
    try { message = JSON.parse(line); } catch { return; }
    // Everything else waits for the session that the first request opens.
    if (message.method === 'initialize') opening = relay(message, line);
    else void opening.then(() => relay(message, line));
  });
`;
}

function startScript(command: string, args: readonly string[]): string {
  return `// Starts the Handrail installation that created this bundle, sharing this process's input and output.
const { spawn } = require('node:child_process');
const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: 'inherit' });
child.once('error', (error) => {
  console.error('Handrail could not be started: ' + error.message + '. Was it moved or removed? Create the bundle again.');
  process.exit(1);
});
child.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
`;
}
