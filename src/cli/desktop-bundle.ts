import type { Connection } from '../domain/mcp-clients.ts';
import { zip } from '../lib/zip.ts';

/**
 * A bundle for Claude Desktop (MCPB, manifest version 0.3): it starts this installation and asks for the key, which
 * Claude stores in the system's keychain. Bundles get shared, so they never contain a key.
 */
export function bundleOf(connection: Connection, version: string): Buffer {
  const { command, args } = startOf(connection);
  const hasKey = 'url' in connection && Object.keys(connection.headers).length > 0;
  const manifest = {
    manifest_version: '0.3',
    name: connection.name,
    display_name: 'Handrail',
    version,
    description: 'Tools from REST APIs, provided by the Handrail installation on this machine.',
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
    compatibility: { platforms: [process.platform], runtimes: { node: '>=20.19' } },
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
    { name: 'server/start.js', content: startScript(command, args) },
  ]);
}

/** The command that Claude Desktop would run without a bundle, without the key. */
function startOf(connection: Connection): { readonly command: string; readonly args: readonly string[] } {
  if ('command' in connection) return connection;
  const [command, ...args] = connection.bridge;
  return { command, args: [...args, 'stdio', '--url', connection.url] };
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
