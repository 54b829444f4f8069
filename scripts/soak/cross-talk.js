// Many clients call many servers with the same request ids at the same time: every answer must be the caller's own.
// Usage: npm run soak -- cross-talk [calls] [servers]
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, serve } from './support/serving.js';

const calls = Number(process.argv[2] ?? 1_000_000);
const servers = Number(process.argv[3] ?? 50);
const clients = 64;

// The upstream echoes each request after a varying delay, so that answers overtake each other.
const upstream = createServer((req, res) => {
  const answer = JSON.stringify({ asked: req.url });
  setTimeout(() => res.writeHead(200, { 'content-type': 'application/json' }).end(answer), Math.random() * 5);
});
await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${upstream.address().port}`;

const folder = mkdtempSync(join(tmpdir(), 'handrail-cross-talk-'));
const { url, child, exited } = await serve(join(folder, 'data'), ['--no-demo'], {
  HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
  HANDRAIL_RECORD_CONTENTS: 'false',
});
for (let i = 0; i < servers; i++) {
  await ask(url, 'POST', '/apis', { slug: `api-${i}`, baseUrl: `${origin}/api-${i}` });
  const parameters = [{ name: 'mark', in: 'path', required: true, schema: { type: 'string' } }];
  await ask(url, 'POST', '/tools', {
    api: `api-${i}`,
    name: `echo_${i}`,
    description: 'Gives back what it was asked',
    operation: { method: 'GET', path: '/{mark}', parameters },
  });
  await ask(url, 'POST', '/servers', { slug: `s-${i}`, tools: [{ api: `api-${i}` }], ratePerMinute: 0 });
}

const agent = new Agent({ keepAlive: true, maxSockets: clients });
const gateway = new URL(url);

function post(slug, body, headers) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const req = request(
      {
        agent,
        hostname: gateway.hostname,
        port: gateway.port,
        path: `/mcp/${slug}`,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      },
      (res) => {
        let answer = '';
        res.setEncoding('utf8');
        res.on('data', (chunk) => (answer += chunk));
        res.on('end', () => resolve({ answer, headers: res.headers }));
      },
    );
    req.on('error', reject);
    req.end(text);
  });
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
let started = 0;
let answered = 0;
let wrong = 0;

/** The headers of this client's legacy session with a server, opened on first use. */
async function sessionOf(sessions, client, slug) {
  let headers = sessions.get(slug);
  if (headers) return headers;
  const opened = await post(slug, {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: `c${client}`, version: '1' },
    },
  });
  headers = { 'mcp-session-id': opened.headers['mcp-session-id'] };
  sessions.set(slug, headers);
  return headers;
}

async function runClient(client) {
  const modern = client % 2 === 0;
  const sessions = new Map();
  for (let n = 0; started < calls; n++) {
    started++;
    // Every client visits all servers, each from a different start, and numbers its requests the same way: IDs
    // collide all the time.
    const server = (client + n) % servers;
    const id = n % 1000;
    const slug = `s-${server}`;
    const name = `echo_${server}`;
    const mark = `c${client}-n${n}`;
    const headers = modern
      ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
      : await sessionOf(sessions, client, slug);
    const params = { name, arguments: { mark }, ...(modern && { _meta: meta }) };
    const { answer } = await post(slug, { jsonrpc: '2.0', id, method: 'tools/call', params }, headers);
    const message = JSON.parse(answer);
    const text = message.result?.content?.[0]?.text ?? '';
    if (message.id !== id || text !== JSON.stringify({ asked: `/api-${server}/${mark}` })) {
      wrong++;
      console.error(
        `client ${client} asked ${slug} for ${mark} with id ${id} and got ${answer.slice(0, 300)}`,
      );
    }
    answered++;
  }
}

const beganMs = Date.now();
const progress = setInterval(() => {
  const perSecond = Math.round(answered / ((Date.now() - beganMs) / 1000));
  console.log(`${answered} of ${calls} calls, ${wrong} wrong, ${perSecond} a second`);
}, 10_000);
await Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)));
clearInterval(progress);
console.log(
  `${answered} calls of ${clients} clients to ${servers} servers in ${Math.round((Date.now() - beganMs) / 1000)} s: ${wrong} answers reached the wrong caller`,
);
agent.destroy();
child.kill('SIGTERM');
await exited;
upstream.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exitCode = wrong === 0 && answered === calls ? 0 : 1;
