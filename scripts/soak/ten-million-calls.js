// Fills a store with call records (ten million unless told) over ninety days, then measures what the calls page and
// analytics take, how large the store is, and what roll-ups cost. `--postgres URL` uses a PostgreSQL database instead of a
// data folder; `--keep DIR` keeps the folder and uses it again.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readStatistics, ranges } from '../../dist/calls/statistics.js';
import { openStore } from '../../dist/storage/open-store.js';
import { RollupSums } from '../../dist/storage/roll-up.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'string' }, keep: { type: 'string' } },
});
const wanted = Number(positionals[0] ?? 10_000_000);
const days = 90;
const dayMs = 86_400_000;
const batchSize = 1_000;
const nowMs = Date.now();
const fromMs = nowMs - days * dayMs;

// The same records each time, whoever runs it.
let seed = 42;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
// A few are busy and most are not, as in life.
const pick = (list) => list[Math.floor(random() ** 2 * list.length)];
const names = (count, of) => Array.from({ length: count }, (_, i) => of(i));
const tools = names(100, (i) => `tool_number_${i}`);
const servers = names(10, (i) => `server-${i}`);
const callers = names(50, (i) => `key:key_${String(i).padStart(26, '0')}`);
const clients = names(8, (i) => `client-${i}`);
const outcomes = ['upstream_status', 'upstream_timeout', 'invalid_arguments', 'rate_limited'];

function record(n) {
  const durationMs = Math.exp(random() * 7);
  const failed = random() < 0.03;
  const tool = pick(tools);
  return {
    id: `call_${String(n).padStart(26, '0')}`,
    toolId: `tool_${tool}`,
    toolName: tool,
    apiSlug: 'api',
    serverSlug: pick(servers),
    surface: 'mcp',
    callerId: pick(callers),
    callerLabel: 'A caller',
    clientName: pick(clients),
    clientVersion: '1.0.0',
    startedAtMs: Math.floor(fromMs + (n / wanted) * days * dayMs),
    durationMs,
    upstreamMs: durationMs * 0.9,
    upstreamStatus: failed ? 500 : 200,
    outcome: failed ? pick(outcomes) : 'ok',
    message: failed ? 'The API answered HTTP 500.' : null,
    tries: 1,
    cached: false,
    requestBytes: 0,
    replyBytes: Math.floor(random() * 4_000),
    outputTokens: Math.floor(random() * 1_000),
    steps: [
      { name: 'prepare', startMs: 0.01, durationMs: 0.05 },
      { name: 'send', startMs: 0.07, durationMs: Math.round(durationMs), note: 'HTTP 200' },
      { name: 'shape', startMs: 9, durationMs: 0.05 },
    ],
    argumentsText: `{"location":"city ${n % 1_000}"}`,
    replyText: `{"temperature":${n % 40},"unit":"celsius","station":"station ${n % 5_000}"}`,
    requestLine: `GET https://api.example.com/v1/weather?city=${n % 1_000}`,
  };
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'handrail-ten-million-'));
const filled = values.keep !== undefined && existsSync(join(folder, 'handrail.db'));
const store = await openStore(
  values.postgres === undefined ? { dataDir: folder } : { databaseUrl: values.postgres },
);

const sums = new RollupSums();
let sumRows = 0;
let sumMs = 0;
async function writeSums() {
  const startedAt = performance.now();
  // Roll-ups by the minute are kept for three days; older ones would have been purged long ago.
  const rows = sums.take().filter(([, width, startMs]) => width !== 'minute' || startMs > nowMs - 3 * dayMs);
  sumRows += rows.length;
  await store.rollups.add(rows);
  sumMs += performance.now() - startedAt;
}

if (!filled) {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  for (let n = 0; n < wanted; n += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, wanted - n) }, (_, i) => record(n + i));
    for (const added of await store.calls.add(batch)) sums.add(added);
    if (n % (10 * batchSize) === 0) await writeSums();
    if (n > 0 && n % 500_000 === 0) {
      const perSecond = Math.round(n / ((performance.now() - startedAt) / 1_000));
      console.log(`${n.toLocaleString('en')} records, ${perSecond.toLocaleString('en')} a second`);
    }
  }
  await writeSums();
  console.log(
    `roll-ups: ${sumRows.toLocaleString('en')} rows written in ${(sumMs / 1_000).toFixed(0)} s, ` +
      `${((sumMs * 1_000) / sumRows).toFixed(1)} µs each`,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  console.log(
    `filled with ${wanted.toLocaleString('en')} records in ${seconds.toFixed(0)} s: ` +
      `${((cpu.user + cpu.system) / wanted).toFixed(1)} µs CPU each, making them included`,
  );
}

if (values.postgres === undefined) {
  const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  console.log(`store: ${(bytes / 1e9).toFixed(2)} GB, ${Math.round(bytes / wanted)} bytes a record`);
}

async function measure(what, work) {
  const times = [];
  let said;
  for (let i = 0; i < 5; i++) {
    const startedAt = performance.now();
    said = await work();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  console.log(
    `${what.padEnd(58)} median ${times[2].toFixed(0).padStart(5)} ms, worst ${times[4].toFixed(0).padStart(5)} ms  ${said ?? ''}`,
  );
}

const page = (filter) => async () => {
  const [found, total] = await Promise.all([store.calls.find(filter, 50), store.calls.count(filter)]);
  const stopped = found.searchedBackToMs === null ? '' : ', stopped early';
  return `${found.calls.length} found of ${total.exact ? '' : 'at least '}${total.count}${stopped}`;
};
await measure('calls: newest', page({}));
await measure('calls: of one tool', page({ toolName: 'tool_number_7' }));
await measure('calls: of one rare tool', page({ toolName: 'tool_number_99' }));
await measure('calls: failed', page({ outcome: 'error' }));
await measure('calls: of one caller on one server', page({ callerId: callers[3], serverSlug: 'server-9' }));
await measure(
  'calls: in one hour, a month ago',
  page({ fromMs: nowMs - 30 * dayMs, toMs: nowMs - 30 * dayMs + 3_600_000 }),
);
await measure('calls: with a text that is common', page({ text: 'station 77' }));
await measure('calls: with a text that nothing has', page({ text: 'needle' }));
for (const range of Object.keys(ranges)) {
  await measure(`analytics: ${range} by tool`, async () => {
    const found = await readStatistics(store.rollups, { range, by: 'tool', top: 20 }, nowMs);
    return `${found.totals.calls.toLocaleString('en')} calls`;
  });
}
await measure('analytics: 90d by caller', async () => {
  await readStatistics(store.rollups, { range: '90d', by: 'caller', top: 20 }, nowMs);
});

await store.close();
if (values.keep === undefined && values.postgres === undefined)
  rmSync(folder, { recursive: true, force: true });
