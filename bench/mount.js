import { createServer } from 'node:http';
import { handrail } from '../dist/mount/handrail.js';
import { fetchFromListener } from '../dist/mount/node.js';
import { head, quartiles, row, showRatio } from './statistics.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const calls = Number(process.env.BENCH_CALLS ?? 5_000);
const concurrent = 16;

const document = {
  openapi: '3.1.0',
  info: { title: 'Bench', version: '1' },
  paths: {
    '/books/{id}': {
      get: {
        operationId: 'getBook',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { description: 'A book' } },
      },
    },
  },
};
const book = (url) => JSON.stringify({ id: Number(url.split('/').at(-1)), title: 'Dune', author: 'Herbert' });

/** The app behind the tool, as a function of web requests and of Node's. */
const answer = (request) =>
  new Response(book(request.url), { headers: { 'content-type': 'application/json' } });
const listener = (req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(book(req.url));
};

/**
 * CPU of this process for one tools/call, app included: in process, next to the same call whose request goes to the same
 * app over loopback. The client's side is a function call in each.
 */
export async function runMountBench() {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const ways = {
    'in process, web-standard app': answer,
    'in process, Node app': fetchFromListener(listener),
    'over loopback, Node app': (request) => fetch(origin + new URL(request.url).pathname, request),
  };
  const mounted = new Map();
  for (const [name, way] of Object.entries(ways)) mounted.set(name, await handrail({ document, fetch: way }));
  const micros = new Map([...mounted.keys()].map((name) => [name, []]));
  for (const mcp of mounted.values()) await run(mcp, calls);
  // Interleaved, so that whatever else the machine does is spread over all.
  for (let round = 0; round < rounds; round++)
    for (const [name, mcp] of mounted) micros.get(name).push(await run(mcp, calls));
  const loopback = micros.get('over loopback, Node app');
  console.log(`Node ${process.versions.node}; ${rounds} rounds of ${calls} calls, ${concurrent} at a time\n`);
  console.log(head(['a call', 'CPU per call', 'of the call over loopback']));
  for (const [name, each] of micros) {
    const ratios = each.map((one, round) => one / loopback[round]);
    console.log(row([name, `${showRatio(quartiles(each))} µs`, showRatio(quartiles(ratios))]));
  }
  for (const mcp of mounted.values()) await mcp.close();
  server.closeAllConnections();
  server.close();
}

/** Microseconds of CPU per call. */
async function run(mcp, count) {
  let next = 0;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      while (next < count) {
        const id = next++;
        const response = await mcp.fetch(
          new Request('http://app.test/mcp', {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json' },
            body: JSON.stringify({
              jsonrpc: '2.0',
              id,
              method: 'tools/call',
              params: { name: 'getBook', arguments: { id } },
            }),
          }),
        );
        const text = await response.text();
        if (!text.includes(`\\"id\\":${id},`)) throw new Error(`A wrong answer: ${text.slice(0, 200)}`);
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
