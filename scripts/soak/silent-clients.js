// Clients that ask for large replies and never read them, with a heap of 400 MB, while another calls a small tool all the time: the
// process must live, the small calls must be answered, and its memory must come back once the silent ones were let go.
// Usage: npm run soak -- silent-clients [CLIENTS] [BYTES OF A REPLY]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, serve } from './support/serving.js';

const clients = Number(process.argv[2] ?? 150);
const bytes = Number(process.argv[3] ?? 8 * 1024 * 1024);
const clientTimeoutMs = 10_000;
const mostMoreMb = 100;

const large = JSON.stringify({ text: 'x'.repeat(bytes) });
const upstream = createServer((req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(req.url === '/large' ? large : '{"small":true}');
});
await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));

const folder = mkdtempSync(join(tmpdir(), 'handrail-silent-'));
const { url, child, exited } = await serve(join(folder, 'data'), ['--no-demo'], {
  HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
  HANDRAIL_CLIENT_TIMEOUT_MS: String(clientTimeoutMs),
  NODE_OPTIONS: '--max-old-space-size=400',
});
const life = { isOver: false };
void exited.then(() => (life.isOver = true));
await ask(url, 'POST', '/apis', {
  slug: 'api',
  baseUrl: `http://127.0.0.1:${upstream.address().port}`,
  limits: { maxReplyBytes: 2 * bytes },
});
for (const name of ['large', 'small'])
  await ask(url, 'POST', '/tools', {
    api: 'api',
    name,
    description: `A ${name} reply`,
    operation: { method: 'GET', path: `/${name}`, parameters: [] },
  });
await ask(url, 'POST', '/servers', {
  slug: 's',
  tools: [{ api: 'api' }],
  ratePerMinute: 0,
  replyMaxTokens: 0,
});

const { host, hostname, port } = new URL(url);
const callOf = (name) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
const headersOf = (name) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

async function callSmall() {
  const started = performance.now();
  const response = await fetch(`${url}/mcp/s`, {
    method: 'POST',
    headers: headersOf('small'),
    body: callOf('small'),
  });
  const text = await response.text();
  return { right: response.status === 200 && text.includes('small'), ms: performance.now() - started };
}

function residentMb() {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
}

for (let i = 0; i < 200; i++) await callSmall();
const before = residentMb();
let highest = before;

const silent = [];
for (let i = 0; i < clients; i++) {
  const body = callOf('large');
  const socket = connect(Number(port), hostname);
  // Closed by the gateway, which is what this waits for.
  socket.on('error', () => {});
  socket.on('close', () => (socket.gone = true));
  socket.pause();
  const head = Object.entries({ host, 'content-length': Buffer.byteLength(body), ...headersOf('large') });
  socket.write(
    `POST /mcp/s HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  silent.push(socket);
}

const tally = { calls: 0, wrong: 0, slowestMs: 0 };
const endMs = Date.now() + 3 * clientTimeoutMs + 30_000;
while (!life.isOver && Date.now() < endMs) {
  const { right, ms } = await callSmall().catch(() => ({ right: false, ms: 0 }));
  tally.calls++;
  if (!right) tally.wrong++;
  tally.slowestMs = Math.max(tally.slowestMs, Math.round(ms));
  if (!life.isOver) highest = Math.max(highest, residentMb());
  await delay(20);
}
const after = life.isOver ? 0 : residentMb();
const metrics = !life.isOver ? await (await fetch(`${url}/metrics`)).text() : '';
const underWay = Number(/^handrail_bytes_under_way (\d+)/m.exec(metrics)?.[1] ?? 'NaN');
console.log(
  `${clients} clients, ${(bytes / 2 ** 20).toFixed(0)} MB each: small calls ${tally.calls}, wrong ${tally.wrong}, slowest ${tally.slowestMs} ms; ` +
    `memory ${before} → ${highest} → ${after} MB; still counted as in progress: ${Number.isNaN(underWay) ? 'unknown' : underWay} bytes`,
);
for (const socket of silent) socket.destroy();
const failed = life.isOver || tally.wrong > 0 || after > before + mostMoreMb;
if (!life.isOver) child.kill('SIGTERM');
await exited;
upstream.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
if (failed) {
  console.error(!life.isOver ? 'FAILED' : 'FAILED: the gateway ended');
  process.exit(1);
}
