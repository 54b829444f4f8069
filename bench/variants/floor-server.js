// The floor: parse the JSON-RPC body, call the upstream through an undici Pool, wrap the text, reply. Nothing else.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstream] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 64, pipelining: 1 });

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const reply = await pool.request({ method: 'GET', path: `/users/${params.arguments.id}` });
    const text = await reply.body.text();
    const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${JSON.stringify(text)}}]}}`;
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    res.end(answer);
  });
}).listen(Number(port), '127.0.0.1');
