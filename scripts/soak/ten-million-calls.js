// Fills a store with call records (ten million by default) over ninety days, then measures what the calls page
// and analytics take, how large the store is, and what roll-ups cost. `--postgres URL` uses a PostgreSQL
// database instead of a data folder; `--keep DIR` keeps the folder, resumes filling it if it was stopped, and
// reuses it when it is full.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readStatistics, ranges } from '../../dist/calls/statistics.js';
import { openStore } from '../../dist/storage/open-store.js';
import { postgresDatabase, sqliteFile } from './ten-million/databases.js';
import { fillCalls } from './ten-million/fill.js';
import { parentOf } from './ten-million/made-up-calls.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'string' }, keep: { type: 'string' } },
});
const wanted = Number(positionals[0] ?? 10_000_000);
const dayMs = 86_400_000;
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'handrail-ten-million-'));
const openHere = () =>
  openStore(values.postgres === undefined ? { dataDir: folder } : { databaseUrl: values.postgres });

const store = await openHere();
const database =
  values.postgres === undefined ? sqliteFile(folder, store) : await postgresDatabase(values.postgres);
const startedAt = performance.now();
const nowMs = await fillCalls(database, store, wanted, console.log);
await database.close();
console.log(`filled in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);

if (values.postgres === undefined) {
  const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  console.log(`store: ${(bytes / 1e9).toFixed(2)} GB, ${Math.round(bytes / wanted)} bytes a record`);
}

async function measure(what, work) {
  const times = [];
  let said;
  for (let i = 0; i < 5; i++) {
    const beganAt = performance.now();
    said = await work();
    times.push(performance.now() - beganAt);
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
const caller = (n) => `key:key_${String(n).padStart(26, '0')}`;
await measure('calls: newest', page({}));
await measure('calls: of one tool', page({ toolName: 'tool_number_7' }));
await measure('calls: of one rare tool', page({ toolName: 'tool_number_99' }));
await measure('calls: of one tool by its id', page({ toolId: 'tool_tool_number_99' }));
await measure('calls: of one server', page({ serverSlug: 'server-9' }));
await measure('calls: of one caller', page({ callerId: caller(49) }));
await measure('calls: of one client', page({ clientName: 'client-7' }));
await measure('calls: of a client that never called', page({ clientName: 'nobody' }));
await measure('calls: made for one call', page({ parentId: parentOf(1) }));
await measure('calls: made for a call that made none', page({ parentId: 'call_of_nobody' }));
await measure('calls: over one surface', page({ surface: 'mcp' }));
await measure('calls: of one API', page({ apiSlug: 'api' }));
await measure('calls: failed', page({ outcome: 'error' }));
await measure('calls: failed in one way', page({ outcome: 'rate_limited' }));
await measure('calls: that ended well', page({ outcome: 'ok' }));
await measure('calls: with HTTP 500', page({ upstreamStatus: 500 }));
await measure('calls: with a status that nothing has', page({ upstreamStatus: 418 }));
await measure('calls: of one caller on one server', page({ callerId: caller(3), serverSlug: 'server-9' }));
await measure(
  'calls: failed, of one rare tool',
  page({ outcome: 'upstream_status', toolName: 'tool_number_99' }),
);
await measure(
  'calls: in one hour, a month ago',
  page({ fromMs: nowMs - 30 * dayMs, toMs: nowMs - 30 * dayMs + 3_600_000 }),
);
await measure('calls: with a text that is common', page({ text: 'station 77' }));
await measure('calls: with a text that nothing has', page({ text: 'needle' }));
// Deep in the list: a cursor is a time and an ID, wherever that is.
const deep = Buffer.from(`${nowMs - 45 * dayMs}:call_`).toString('base64url');
await measure('calls: newest, millions of records down', async () => {
  const found = await store.calls.find({}, 50, deep);
  return `${found.calls.length} found`;
});
await measure('calls: of one tool, millions of records down', async () => {
  const found = await store.calls.find({ toolName: 'tool_number_7' }, 50, deep);
  return `${found.calls.length} found`;
});
await measure('calls: 100 pages of an export', async () => {
  let cursor;
  let records = 0;
  for (let i = 0; i < 100; i++) {
    const found = await store.calls.find({}, 500, cursor);
    records += found.calls.length;
    cursor = found.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  return `${records.toLocaleString('en')} records`;
});
for (const range of Object.keys(ranges)) {
  await measure(`analytics: ${range} by tool`, async () => {
    const found = await readStatistics(store.rollups, { range, by: 'tool', top: 20 }, nowMs);
    return `${found.totals.calls.toLocaleString('en')} calls`;
  });
}
for (const by of ['server', 'caller', 'client', 'outcome']) {
  await measure(`analytics: 1y by ${by}`, async () => {
    await readStatistics(store.rollups, { range: '1y', by, top: 20 }, nowMs);
  });
}
await measure('analytics: 1y of one tool', async () => {
  const found = await readStatistics(
    store.rollups,
    { range: '1y', by: 'tool', name: 'tool_number_7', top: 20 },
    nowMs,
  );
  return `${found.totals.calls.toLocaleString('en')} calls`;
});

await store.close();
if (values.keep === undefined && values.postgres === undefined)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
