// The floor: parse the JSON-RPC body, call the upstream through an undici Pool, wrap the text, reply. Nothing else.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstream] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 512, pipelining: 1 });

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => void answer(Buffer.concat(chunks), res));
}).listen(Number(port), '127.0.0.1');

async function answer(body, res) {
  const { id, params } = JSON.parse(body.toString('utf8'));
  const reply = await pool.request({ method: 'GET', path: `/users/${params.arguments.id}` });
  const replied = await reply.body.text();
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${JSON.stringify(replied)}}]}}`;
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}
