// A slow API: every reply takes a number of milliseconds.
import { createServer } from 'node:http';

const [port, waitMs, text] = process.argv.slice(2);
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };

const server = createServer((_req, res) => {
  setTimeout(() => res.writeHead(200, headers).end(text), Number(waitMs));
});
server.keepAliveTimeout = 600_000;
server.listen(Number(port), '127.0.0.1', 4_096);
