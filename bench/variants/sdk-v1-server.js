// The official SDK v1, a server per request (stateless), JSON answers.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Pool } from 'undici';

const require = createRequire(new URL('../peers/package.json', import.meta.url));
const load = (path) => import(pathToFileURL(require.resolve(path)));
const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = await load('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { z } = await load('zod');

const [port, upstream] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 64, pipelining: 1 });

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => void serve(req, res, Buffer.concat(chunks)));
}).listen(Number(port), '127.0.0.1');

async function serve(req, res, body) {
  const server = new McpServer({ name: 'bench', version: '1' });
  server.registerTool('get_user', { inputSchema: { id: z.number().int() } }, async ({ id }) => {
    const reply = await pool.request({ method: 'GET', path: `/users/${id}` });
    return { content: [{ type: 'text', text: await reply.body.text() }] };
  });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, JSON.parse(body.toString('utf8')));
}
