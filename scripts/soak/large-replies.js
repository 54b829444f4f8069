// Many large replies at once, on a gateway with a heap of 512 MB: its memory must stay within what docs/guide/scaling.md says plus a fifth, and
// every call must succeed, or be refused as overloaded.
// With `mixed`, 50 selects of such replies, 50 scripts and an import of a large document run at the same time.
// Usage: npm run soak -- large-replies [CALLS] [BYTES OF A REPLY] [kept|whole|mixed]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, serve } from './support/serving.js';

const calls = Number(process.argv[2] ?? 150);
const bytes = Number(process.argv[3] ?? 4_900_000);
const kind = process.argv[4] ?? 'kept';
const heapMb = 512;
// Threads for replies, scripts and imports have heaps of their own.
const mixedMb = 620;
// What the guide says about a process with this heap.
const documentedMb = kind === 'mixed' ? mixedMb : 470;

const record = {
  id: 1,
  name: 'A record of a list',
  note: 'some words that say little about it',
  price: 12.5,
};
const line = JSON.stringify(record);
const large = `[${Array.from({ length: Math.floor(bytes / (line.length + 1)) }, () => line).join(',')}]`;
const upstream = createServer((req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(large) });
  res.end(large);
});
await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));

const folder = mkdtempSync(join(tmpdir(), 'handrail-large-'));
const { url, child } = await serve(join(folder, 'data'), ['--no-demo'], {
  HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
  NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
});
await ask(url, 'POST', '/apis', { slug: 'api', baseUrl: `http://127.0.0.1:${upstream.address().port}` });
await ask(url, 'POST', '/tools', {
  api: 'api',
  name: 'large',
  description: 'A large reply',
  operation: { method: 'GET', path: '/large', parameters: [] },
});
await ask(url, 'POST', '/servers', {
  slug: 's',
  tools: [{ api: 'api' }],
  policy: 'open',
  ratePerMinute: 0,
  ...(kind === 'whole' && { replyMaxTokens: 0 }),
});

if (kind === 'mixed') {
  await ask(url, 'POST', '/servers', {
    slug: 'selecting',
    tools: [{ api: 'api' }],
    policy: 'open',
    ratePerMinute: 0,
    selectArgument: true,
  });
  await ask(url, 'POST', '/servers', {
    slug: 'code',
    tools: [{ api: 'api' }],
    policy: 'open',
    ratePerMinute: 0,
    mode: 'code',
  });
}

const rssMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
const peakMb = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;

async function post(server, name, given) {
  const answer = await fetch(`${url}/mcp/${server}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  return [answer.status, await answer.text()];
}

const script = `const text = await tools.api.large({}); return String(JSON.stringify(text).length);`;
// Thousands of operations, each with a schema of its own.
const document = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Large', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: Object.fromEntries(
    Array.from({ length: 4_000 }, (_, i) => [
      `/items${i}/{id}`,
      {
        get: {
          operationId: `item${i}`,
          summary: 'words about an operation '.repeat(8),
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'fine' } },
        },
      },
    ]),
  ),
});

/** What else runs, each with how it ended. */
async function others() {
  const ended = {};
  const note = (what, status, text) => {
    const isRefused =
      status === 503 || /Too many|busy|queue|try again|overloaded|Try again/i.test(text.slice(0, 3_000));
    const key = `${what}: ${/"isError":true|"error"/.test(text) || status >= 400 ? (isRefused ? 'refused' : 'failed') : 'done'}`;
    ended[key] = (ended[key] ?? 0) + 1;
    if (key.endsWith('failed')) ended[`${key}, such as`] = text.slice(0, 300);
  };
  await Promise.all([
    ...Array.from({ length: 50 }, async () =>
      note(
        'select',
        ...(await post('selecting', 'large', { _select: '[?price > `1`].{id: id, name: name} | [:5]' })),
      ),
    ),
    ...Array.from({ length: 50 }, async () =>
      note('script', ...(await post('code', 'run_code', { code: script }))),
    ),
    ask(url, 'POST', '/imports', { text: document, api: 'imported' }).then(({ status, body }) =>
      note('import', status, JSON.stringify(body).slice(0, 3_000)),
    ),
  ]);
  return ended;
}

async function call() {
  const answer = await fetch(`${url}/mcp/s`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large","arguments":{}}}',
  });
  const text = await answer.text();
  if (/Too many large replies/.test(text.slice(0, 2_000))) return 'refused';
  return answer.status === 200 && !/"isError":true/.test(text.slice(-200) + text.slice(0, 200))
    ? 'done'
    : `${answer.status} ${text.slice(0, 200)}`;
}

await call();
await delay(1_000);
const before = rssMb();
const began = performance.now();
const outcomes = {};
const beside = kind === 'mixed' ? others() : null;
for (const outcome of await Promise.all(Array.from({ length: calls }, call)))
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
if (beside !== null) console.log(JSON.stringify(await beside));
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
const peak = peakMb();
await delay(15_000);
const after = rssMb();
console.log(
  `${calls} replies of ${bytes} bytes (${kind}) in ${seconds} s: ${JSON.stringify(outcomes)}; RSS before ${before.toFixed()} MB, peak ${peak.toFixed()} MB, 15 s later ${after.toFixed()} MB`,
);
const wrong = Object.keys(outcomes).filter((outcome) => outcome !== 'done' && outcome !== 'refused');
if (peak > documentedMb * 1.2 || wrong.length > 0 || outcomes.done === undefined) process.exitCode = 1;
child.kill();
upstream.close();
upstream.closeAllConnections();
rmSync(folder, { recursive: true, force: true });
