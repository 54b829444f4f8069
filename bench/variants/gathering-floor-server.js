// The floor, with one addition: what arrives in one tick of the event loop is gathered and handled when the
// tick ends, requests and replies alike, so that upstream requests and answers are written one right after the
// other.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstream] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 512, pipelining: 1 });

function batchPerTick(handle) {
  let gathered = [];
  return (item) => {
    if (gathered.push(item) > 1) return;
    setImmediate(() => {
      const items = gathered;
      gathered = [];
      for (const one of items) handle(one);
    });
  };
}

const answer = batchPerTick(({ id, res, chunks }) => {
  const replied = Buffer.concat(chunks).toString('utf8');
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${JSON.stringify(replied)}}]}}`;
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
});

const ask = batchPerTick(({ body, res }) => {
  const { id, params } = JSON.parse(body.toString('utf8'));
  const chunks = [];
  pool.dispatch(
    { method: 'GET', path: `/users/${params.arguments.id}` },
    {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData: (_controller, chunk) => chunks.push(chunk),
      onResponseEnd: () => answer({ id, res, chunks }),
      onResponseError: () => res.writeHead(502).end(),
    },
  );
});

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => ask({ body: Buffer.concat(chunks), res }));
}).listen(Number(port), '127.0.0.1');
