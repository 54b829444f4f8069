import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { callRecord } from '../../../test/support/call-record.ts';
import { writeCalls } from '../../../test/support/write-calls.ts';
import type { CallRecord } from '../../domain/call.ts';
import { matchesFilter } from '../matches-filter.ts';
import { openStore } from '../open-store.ts';
import type { CallFilter, CallStore } from '../ports.ts';
import { createCallStore } from './call-store.ts';
import { databaseFile } from './data-folder.ts';
import { openDatabase } from './database.ts';
import { openSqlite, type SqliteConnection } from './driver.ts';

const root = mkdtempSync(join(tmpdir(), 'handrail-segments-'));
let made = 0;
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
const newFolder = () => join(root, String(made++));

const startMs = 1_700_000_000_000;

/** What can be told apart in a search, a few values of each, so that filters meet records. */
const callParts = fc.record({
  parentId: fc.constantFrom(null, null, null, 'call_a', 'call_b'),
  toolName: fc.constantFrom('get', 'Put "it"', '__proto__', 'toString', 'ünï'),
  toolId: fc.constantFrom(null, 'tool_1', 'tool_2'),
  serverSlug: fc.constantFrom('default', 'team'),
  callerId: fc.constantFrom('anonymous', 'key:1'),
  clientName: fc.constantFrom(null, 'Claude', 'null'),
  outcome: fc.constantFrom(
    'ok' as const,
    'upstream_status' as const,
    'rate_limited' as const,
    'unknown_tool' as const,
  ),
  upstreamStatus: fc.constantFrom(null, 200, 500),
  startedAtMs: fc.integer({ min: startMs, max: startMs + 40 }),
  replyText: fc.option(fc.constantFrom('', 'plain', 'NEEDLE in hay', 'é 😀', 'x'.repeat(3_000))),
  argumentsText: fc.option(fc.constantFrom('{}', '{"q":"needle"}')),
  message: fc.option(fc.constantFrom('', 'went wrong')),
});

const filters = fc.record(
  {
    parentId: fc.constantFrom('call_a', 'call_c'),
    toolName: fc.constantFrom('get', '__proto__', 'toString', 'absent'),
    toolId: fc.constantFrom('tool_1', 'null'),
    serverSlug: fc.constantFrom('default', 'nowhere'),
    callerId: fc.constantFrom('key:1'),
    clientName: fc.constantFrom('Claude', 'null'),
    outcome: fc.constantFrom('ok', 'error', 'rate_limited', 'agent', 'refused'),
    upstreamStatus: fc.constantFrom(200, 500, 404),
    fromMs: fc.integer({ min: startMs, max: startMs + 40 }),
    toMs: fc.integer({ min: startMs, max: startMs + 40 }),
    text: fc.constantFrom('needle', 'É', 'PUT "', 'plainNEEDLE', ''),
  },
  { requiredKeys: [] },
);

const newestFirst = (a: CallRecord, b: CallRecord) => b.startedAtMs - a.startedAtMs || (a.id < b.id ? 1 : -1);

async function readAll(calls: CallStore, filter: CallFilter, limit: number): Promise<CallRecord[]> {
  const all: CallRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await calls.find(filter, limit, cursor);
    expect(page.calls.length).toBeLessThanOrEqual(limit);
    all.push(...page.calls);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('segments of call records', () => {
  it('are searched, counted, merged and purged as one list of records', async () => {
    const batches = fc.array(fc.array(callParts, { minLength: 1, maxLength: 30 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.array(filters, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        fc.option(fc.integer({ min: startMs - 1, max: startMs + 50 })),
        async (added, asked, limit, purgedBefore) => {
          const store = await openStore({ dataDir: newFolder() });
          const { calls } = store;
          const known: CallRecord[] = [];
          let number = 0;
          for (const batch of added) {
            const records = batch.map((parts) => callRecord(number++, parts));
            const under = calls.newBatch();
            for (const record of records) under.add(record);
            expect(under.records()).toEqual(records);
            await calls.write(under);
            await calls.write(under);
            known.push(...records);
          }
          for (const filter of asked) {
            const wanted = known.filter((record) => matchesFilter(record, filter)).sort(newestFirst);
            expect(await readAll(calls, filter, limit)).toEqual(wanted);
            expect(await calls.count(filter)).toEqual({ count: wanted.length, exact: true });
          }
          for (const record of known.slice(-3)) expect(await calls.get(record.id)).toEqual(record);
          if (purgedBefore !== null) {
            let purged = 0;
            for (let last = limit; last === limit;) purged += last = await calls.purge(purgedBefore, limit);
            const kept = known.filter((record) => record.startedAtMs >= purgedBefore);
            expect(purged).toBe(known.length - kept.length);
            expect(await readAll(calls, {}, limit)).toEqual(kept.sort(newestFirst));
          }
          await store.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('grow out of calls that come one by one, and hold each of them once', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    const records = Array.from({ length: 600 }, (_, n) => callRecord(n));
    for (const record of records) await writeCalls(store.calls, [record]);
    expect(await readAll(store.calls, {}, 100)).toEqual(records.toReversed());
    await store.close();
    const connection = openSqlite(databaseFile(dataDir));
    const sizes = connection
      .run('select records from call_segments order by last_ms', [])
      .rows.map((row) => (row as { records: number }).records);
    const bodies = connection.run('select count(*) as count from call_segment_bodies', []).rows;
    connection.close();
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(600);
    expect(sizes.length).toBeLessThan(40);
    expect(bodies).toEqual([{ count: sizes.length }]);
  });

  it('stay small in bytes, whatever calls bring', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    const long = 'x'.repeat(16 * 1024);
    const records = Array.from({ length: 100 }, (_, n) => callRecord(n, { replyText: long }));
    await writeCalls(store.calls, records);
    expect((await store.calls.find({}, 200)).calls).toEqual(records.toReversed());
    await store.close();
    const connection = openSqlite(databaseFile(dataDir));
    const [largest] = connection.run('select max(size) as size, count(*) as count from call_segments', [])
      .rows as [{ size: number; count: number }];
    connection.close();
    expect(largest.size).toBeLessThan(600_000);
    expect(largest.count).toBe(4);
  });
});

describe('a search', () => {
  const ids = (records: readonly CallRecord[]) => records.map((record) => record.id);

  it('finds what is merged meanwhile, by its own process or another', async () => {
    const dataDir = newFolder();
    const records = Array.from({ length: 60 }, (_, n) => callRecord(n));
    // A store that wrote fewer than sixteen merges nothing yet.
    for (let n = 0; n < 60; n += 15) {
      const store = await openStore({ dataDir });
      for (const record of records.slice(n, n + 15)) await writeCalls(store.calls, [record]);
      await store.close();
    }
    const store = await openStore({ dataDir });
    const other = await openStore({ dataDir });
    const writeMore = async ({ calls }: typeof store, first: number) => {
      for (let n = first; n < first + 20; n++) await writeCalls(calls, [callRecord(n)]);
    };
    const toMs = records.at(-1)!.startedAtMs + 1;
    const [found, counted, one] = await Promise.all([
      store.calls.find({ toMs }, 100),
      store.calls.count({ toMs, text: 'paris' }),
      store.calls.get(records[3]!.id),
      writeMore(other, 1_000),
      writeMore(store, 2_000),
    ]);
    expect(ids(found.calls)).toEqual(ids(records.toReversed()));
    expect(counted).toEqual({ count: 60, exact: true });
    expect(one).toEqual(records[3]);
    expect(await store.calls.count({})).toEqual({ count: 100, exact: true });
    await store.close();
    await other.close();
  });

  it('finds what a purge leaves, while it purges', async () => {
    const store = await openStore({ dataDir: newFolder() });
    const records = Array.from({ length: 60 }, (_, n) => callRecord(n));
    // Every segment reaches across the time.
    for (let n = 0; n < 30; n++) await writeCalls(store.calls, [records[n]!, records[59 - n]!]);
    const beforeMs = records[30]!.startedAtMs;
    const [found] = await Promise.all([
      store.calls.find({ fromMs: beforeMs }, 100),
      store.calls.purge(beforeMs, 100),
    ]);
    expect(ids(found.calls)).toEqual(ids(records.slice(30).toReversed()));
    await store.close();
  });

  it('ignores letter case as within one text, whatever stands beside it', async () => {
    const store = await openStore({ dataDir: newFolder() });
    // The lower case of a sigma depends on whether a letter follows.
    const record = callRecord(1, { replyText: 'ΟΔΟΣ', requestLine: 'GET https://api.example.com/' });
    await writeCalls(store.calls, [record]);
    expect((await store.calls.find({ text: 'οδος' }, 10)).calls).toEqual([record]);
    expect((await store.calls.find({ text: 'ΟΔΟΣ' }, 10)).calls).toEqual([record]);
    await store.close();
  });
});

/** What a data folder holds, seen past the store; `change` may do something to it. */
function look<T>(dataDir: string, change: (connection: SqliteConnection) => T): T {
  const connection = openSqlite(databaseFile(dataDir));
  try {
    return change(connection);
  } finally {
    connection.close();
  }
}

const segmentsIn = (dataDir: string) =>
  look(
    dataDir,
    (connection) =>
      connection.run(
        'select seq, records, layout, tier, more from call_segments join call_segment_bodies using (seq) order by seq',
        [],
      ).rows as { seq: number; records: number; layout: number; tier: number; more: string | null }[],
  );

describe('segments of several layouts', () => {
  const records = Array.from({ length: 80 }, (_, n) =>
    callRecord(n, { parentId: n % 3 === 0 ? `call_parent_${n % 2}` : null }),
  );

  it('are written in the oldest that holds what their calls have', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    await writeCalls(store.calls, [records[1]!, records[2]!]);
    await writeCalls(store.calls, [records[4]!, records[6]!]);
    await store.close();
    expect(segmentsIn(dataDir)).toMatchObject([
      { records: 2, layout: 1, tier: 0, more: null },
      // Versions that know no layouts would merge a tier below two and lose the parents.
      { records: 2, layout: 2, tier: 10, more: '{"parentId":[[1,"call_parent_0"]]}' },
    ]);
  });

  it('are merged together', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    for (const record of records) await writeCalls(store.calls, [record]);
    expect(await readAll(store.calls, {}, 30)).toEqual(records.toReversed());
    const children = records.filter((record) => record.parentId === 'call_parent_0');
    expect(await readAll(store.calls, { parentId: 'call_parent_0' }, 30)).toEqual(children.toReversed());
    await store.close();
    const merged = segmentsIn(dataDir).filter(({ records: size }) => size > 1);
    expect(merged.reduce((sum, { records: size }) => sum + size, 0)).toBe(80);
    expect(merged.every(({ layout, tier }) => layout === 2 && tier === 11)).toBe(true);
  });
});

describe('segments of a layout that only a newer version knows', () => {
  it('are left out and left alone, and counted', async () => {
    const dataDir = newFolder();
    const records = Array.from({ length: 40 }, (_, n) => callRecord(n));
    const store = await openStore({ dataDir });
    for (let n = 0; n < 10; n += 2) await writeCalls(store.calls, records.slice(n, n + 2));
    const newer = segmentsIn(dataDir)[2]!;
    look(dataDir, (connection) => {
      connection.run('update call_segments set layout = 9, tier = 10 where seq = ?', [newer.seq]);
      connection.run('update call_segment_bodies set more = ?, numbers = ? where seq = ?', [
        'not for this version',
        new Uint8Array([1, 2, 3]),
        newer.seq,
      ]);
    });
    const before = segmentsIn(dataDir).find(({ seq }) => seq === newer.seq);
    expect(await store.calls.unreadable()).toEqual({ newer: 2, damaged: 0 });
    // Merging passes it by.
    for (const record of records.slice(10)) await writeCalls(store.calls, [record]);
    const known = [...records.slice(0, 4), ...records.slice(6)];
    expect(await readAll(store.calls, {}, 7)).toEqual(known.toReversed());
    expect(await readAll(store.calls, { text: 'paris' }, 7)).toEqual(known.toReversed());
    expect(await store.calls.count({})).toEqual({ count: 38, exact: true });
    expect(await store.calls.get(records[4]!.id)).toBeNull();
    expect(await store.calls.purge(startMs + 1_000, 1_000)).toBe(38);
    expect(await store.calls.unreadable()).toEqual({ newer: 2, damaged: 0 });
    await store.close();
    expect(segmentsIn(dataDir)).toEqual([before]);
  });
});

describe('groups of segments', () => {
  // Of 256 records each, which no merge touches.
  const perSegment = 256;
  const segments = 140;
  const rareAt = new Set([3, 70 * perSegment + 9, 70 * perSegment + 10, 139 * perSegment]);
  const records = Array.from({ length: segments * perSegment }, (_, n) =>
    callRecord(n, {
      argumentsText: null,
      replyText: null,
      steps: [],
      ...(rareAt.has(n) && { toolName: 'rare' }),
      ...(n % 100 === 0 && { outcome: 'rate_limited' }),
    }),
  );
  const rare = records.filter(({ toolName }) => toolName === 'rare').toReversed();

  async function openFull(limits?: Parameters<typeof createCallStore>[1]) {
    const dataDir = newFolder();
    await (await openStore({ dataDir })).close();
    const opened = await openDatabase(databaseFile(dataDir), {
      onCommitted() {},
      onUnmarked() {},
      isMarked: true,
      onUnowned() {},
    });
    const calls = createCallStore(opened, limits);
    for (let at = 0; at < records.length; at += perSegment)
      await writeCalls(calls, records.slice(at, at + perSegment));
    for (let steps = 0; await calls.maintain(); steps++) expect(steps).toBeLessThan(100);
    return { dataDir, calls, close: () => opened.close() };
  }
  const groupsIn = (dataDir: string) =>
    look(
      dataDir,
      (connection) =>
        connection.run('select to_ms, records, stale from call_segment_groups order by to_ms', []).rows as {
          to_ms: number;
          records: number;
          stale: number;
        }[],
    );

  it('are skipped, so that a rare tool takes few rows, and counted without reading segments', async () => {
    // Four groups, two of which have it, and at most 64 segments that have no group yet.
    const few = { rows: 4 + 3 * 32 + 64, bytes: Infinity };
    const { dataDir, calls, close } = await openFull({ page: few, count: { rows: 80, bytes: 1 } });
    expect(groupsIn(dataDir).map((group) => group.records)).toEqual([8_192, 8_192, 8_192]);
    expect(await calls.find({ toolName: 'rare' }, 10)).toEqual({
      calls: rare,
      nextCursor: null,
      searchedBackToMs: null,
    });
    expect(await calls.count({ toolName: 'rare' })).toEqual({ count: 4, exact: true });
    expect(await calls.count({ outcome: 'error' })).toEqual({ count: 359, exact: true });
    expect(await calls.count({}, 100_000)).toEqual({ count: records.length, exact: true });
    const fromMs = records[100]!.startedAtMs;
    expect(await readAll(calls, { toolName: 'rare', fromMs, toMs: rare[0]!.startedAtMs }, 1)).toEqual(
      rare.slice(1, 3),
    );
    await close();
  });

  it('are a shortcut only: without them a search stops early, says where, and continues', async () => {
    const { dataDir, calls, close } = await openFull({
      page: { rows: 50, bytes: Infinity },
      count: { rows: 50, bytes: 1 },
    });
    look(dataDir, (connection) => connection.run('delete from call_segment_groups', []));
    const first = await calls.find({ toolName: 'rare' }, 10);
    expect(first.calls).toEqual(rare.slice(0, 1));
    expect(first.searchedBackToMs).toBeGreaterThan(rare[1]!.startedAtMs);
    expect(await readAll(calls, { toolName: 'rare' }, 10)).toEqual(rare);
    expect((await calls.count({ toolName: 'rare' })).exact).toBe(false);
    await calls.maintain();
    expect(groupsIn(dataDir)).toHaveLength(1);
    await close();
  });

  it('bound how many bytes a text search reads before it says where it stopped', async () => {
    const { calls, close } = await openFull({
      page: { rows: Infinity, bytes: 200_000 },
      count: { rows: Infinity, bytes: 200_000 },
    });
    let pages = 0;
    for (let cursor: string | undefined; ; pages++) {
      const { calls: found, nextCursor } = await calls.find({ text: 'nothing has this' }, 10, cursor);
      expect(found).toEqual([]);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(pages).toBeGreaterThan(3);
    await close();
  });

  it('follow late records and purges', async () => {
    const { dataDir, calls, close } = await openFull();
    const late = callRecord(1_000_000, { toolName: 'late', startedAtMs: records[5_000]!.startedAtMs });
    await writeCalls(calls, [late]);
    expect(groupsIn(dataDir).map((group) => group.stale)).toEqual([1, 0, 0]);
    expect((await calls.find({ toolName: 'late' }, 10)).calls).toEqual([late]);
    while (await calls.maintain());
    expect(groupsIn(dataDir)[0]).toMatchObject({ records: 8_193, stale: 0 });
    expect(await calls.count({ toolName: 'late' })).toEqual({ count: 1, exact: true });
    const beforeMs = records[20 * perSegment]!.startedAtMs;
    for (let purged = 1; purged > 0;) purged = await calls.purge(beforeMs, 2_000);
    expect(await calls.count({}, 100_000)).toEqual({ count: 120 * perSegment, exact: true });
    while (await calls.maintain());
    // The first has too little left and joined the next.
    expect(groupsIn(dataDir).map((group) => group.records)).toEqual([44 * perSegment, 8_192]);
    expect(await readAll(calls, { toolName: 'rare' }, 10)).toEqual(rare.slice(0, 3));
    await close();
  });
});

describe('a database file', () => {
  it('gives back what a purge left, in steps', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    const replyText = 'x'.repeat(16_000);
    for (let n = 0; n < 4_000; n += 250)
      await writeCalls(
        store.calls,
        Array.from({ length: 250 }, (_, at) => callRecord(n + at, { replyText })),
      );
    const pages = () =>
      look(dataDir, (connection) => connection.run('pragma page_count', []).rows as { page_count: number }[]);
    const [before] = pages();
    for (let purged = 1; purged > 0;) purged = await store.calls.purge(callRecord(3_900).startedAtMs, 2_000);
    let steps = 0;
    while (await store.calls.maintain()) steps++;
    expect(steps).toBeGreaterThan(5);
    expect(pages()[0]!.page_count).toBeLessThan(before!.page_count - steps * 200);
    await store.close();
    expect(statSync(databaseFile(dataDir)).size).toBe(pages()[0]!.page_count * 8_192);
  });
});

describe('damaged segments', () => {
  it.each<[string, (connection: SqliteConnection, seq: number) => unknown]>([
    [
      'no numbers',
      (c, seq) => c.run("update call_segment_bodies set numbers = x'010203' where seq = ?", [seq]),
    ],
    ['no kinds', (c, seq) => c.run("update call_segment_bodies set shared = '[[],[]]' where seq = ?", [seq])],
    ['no JSON', (c, seq) => c.run("update call_segment_bodies set shared = '[[' where seq = ?", [seq])],
    ['no texts', (c, seq) => c.run("update call_segment_bodies set texts = '' where seq = ?", [seq])],
    ['no body', (c, seq) => c.run('delete from call_segment_bodies where seq = ?', [seq])],
  ])('keep nobody from the others: %s', async (_, damage) => {
    const dataDir = newFolder();
    const records = Array.from({ length: 60 }, (_none, n) => callRecord(n));
    const store = await openStore({ dataDir });
    for (let n = 0; n < 6; n += 2) await writeCalls(store.calls, records.slice(n, n + 2));
    const [, { seq }] = segmentsIn(dataDir) as [unknown, { seq: number }];
    look(dataDir, (connection) => damage(connection, seq));
    const known = [...records.slice(0, 2), ...records.slice(4)];
    expect((await store.calls.find({}, 10)).calls).toEqual(known.slice(0, 4).toReversed());
    expect(await store.calls.unreadable()).toEqual({ newer: 0, damaged: 2 });
    expect(await store.calls.get(records[2]!.id)).toBeNull();
    // Merging goes on without it.
    for (const record of records.slice(6)) await writeCalls(store.calls, [record]);
    expect(await readAll(store.calls, {}, 100)).toEqual(known.toReversed());
    // It stays while some of it is young enough, and goes when all of it is old.
    expect(await store.calls.purge(records[3]!.startedAtMs, 100)).toBe(2);
    expect(await store.calls.unreadable()).toEqual({ newer: 0, damaged: 2 });
    expect(await store.calls.purge(records[10]!.startedAtMs, 100)).toBe(8);
    expect(await store.calls.unreadable()).toEqual({ newer: 0, damaged: 0 });
    expect(await readAll(store.calls, {}, 100)).toEqual(records.slice(10).toReversed());
    await store.close();
  });
});
