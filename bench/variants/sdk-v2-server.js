// The official SDK v2 with its low-level Server and its own handler, one tool, the same upstream call.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';
import { Pool } from 'undici';

const [port, upstream] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 64, pipelining: 1 });
const inputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'get_user', inputSchema }] }));
  server.setRequestHandler('tools/call', async (request) => {
    const reply = await pool.request({
      method: 'GET',
      path: `/users/${Number(request.params.arguments.id)}`,
    });
    return { content: [{ type: 'text', text: await reply.body.text() }] };
  });
  return server;
});
const handle = toNodeHandler(handler);
createServer((req, res) => void handle(req, res)).listen(Number(port), '127.0.0.1');
