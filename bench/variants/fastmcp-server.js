// fastmcp's own OpenAPI server, over streamable HTTP; stateless if requested.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../peers/package.json', import.meta.url));
const [port, document, stateless] = process.argv.slice(2);
const { fromOpenAPI } = await import(pathToFileURL(require.resolve('fastmcp/openapi')));
const spec = JSON.parse(readFileSync(document, 'utf8'));
// It stops at 40 tools by default.
const server = await fromOpenAPI({ spec, maxTools: 1_000_000 });
await server.start({
  transportType: 'httpStream',
  httpStream: {
    port: Number(port),
    host: '127.0.0.1',
    endpoint: '/mcp',
    stateless: stateless === 'stateless',
  },
});
