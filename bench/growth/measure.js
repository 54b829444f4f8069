// Measures one gateway on a data folder, in a process of its own: prints one line of JSON. CPU is that of the whole
// process, threads included; nothing here is a wall time.
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../dist/config/load-config.js';
import { createGateway } from '../../dist/gateway.js';

const [, , dataDir, what] = process.argv;
const adminToken = 'bench-admin-token-0123456789';
const changes = 15;

const cpuMs = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};
const residentMb = () => Math.round(process.memoryUsage.rss() / 2 ** 20);

const flags = { adminToken, demo: false, port: 0, logLevel: 'silent', dataDir, allowOpen: true };
const gateway = await createGateway(loadConfig({ flags }));
const url = await gateway.listen();
const result = { startMs: cpuMs(), startMb: residentMb() };
if (what === 'start') {
  await gateway.close();
  process.exit();
}

async function admin(method, path, body) {
  const response = await gateway.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${adminToken}`, host: new URL(url).host },
    ...(body && { payload: body }),
  });
  if (response.statusCode >= 300)
    throw new Error(`${method} ${path}: ${response.statusCode} ${response.body}`);
  return response.json();
}

/** The median CPU of some changes, after three that warm up. Background work may run between them. */
async function medianMs(change) {
  const taken = [];
  for (let n = -3; n < changes; n++) {
    const since = process.cpuUsage();
    await change(n + 3);
    if (n >= 0) taken.push(cpuMs(since));
    await delay(5);
  }
  return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)];
}

async function search(query) {
  const since = process.cpuUsage();
  const response = await fetch(`${url}/mcp/default`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query, limit: 5 } },
    }),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"isError":true'))
    throw new Error(`search: ${response.status} ${text.slice(0, 300)}`);
  return cpuMs(since);
}

const { tools } = gateway.registry.snapshot;
const ids = [...tools.keys()];
const at = (n) => ids[(n * 977) % ids.length];
// What clients use, so that its views exist.
for (const slug of [...gateway.registry.snapshot.serverBySlug.keys()].slice(0, 1_000))
  gateway.registry.snapshot.view(slug);
await admin('GET', '/servers?limit=1');
result.changeToolMs = await medianMs((n) =>
  admin('PATCH', `/tools/${at(n)}`, { description: `Edited ${n}.` }),
);
const apiSlug = [...gateway.registry.snapshot.apis.values()][0].slug;
result.publishServerMs = await medianMs((n) =>
  admin('POST', '/servers', { slug: `new-${process.pid}-${n}`, tools: [{ api: apiSlug }], policy: 'open' }),
);
result.createKeyMs = await medianMs((n) => admin('POST', '/keys', { name: `new ${process.pid} ${n}` }));
result.changedMb = residentMb();
const before = process.cpuUsage();
result.firstSearchMs = await search('list the invoices of a customer');
await admin('GET', '/search?query=first&wait=true&limit=1');
result.untilIndexedMs = cpuMs(before);
const asked = [];
for (const query of [
  'pay an invoice',
  'delete a webhook',
  'archived playlists of a user',
  'shipments by warehouse',
  'rotate a secret',
])
  asked.push(await search(query));
result.searchMs = asked.sort((a, b) => a - b)[2];
result.searchedMb = residentMb();
result.changeAndSearchMs = await medianMs(async (n) => {
  await admin('PATCH', `/tools/${at(n)}`, { description: `Edited again ${n}.` });
  await search(`edited invoices ${n}`);
});
console.log(JSON.stringify(result));
await gateway.close();
