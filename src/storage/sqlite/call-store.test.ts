import { mkdtempSync, rmSync } from 'node:fs';
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
import { databaseFile } from './data-folder.ts';
import { openSqlite } from './driver.ts';

const root = mkdtempSync(join(tmpdir(), 'handrail-segments-'));
let made = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));
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
  outcome: fc.constantFrom('ok' as const, 'upstream_status' as const, 'rate_limited' as const),
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
    outcome: fc.constantFrom('ok', 'error', 'rate_limited'),
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

describe('call records of an earlier version', () => {
  it('are moved into segments when the store is opened', async () => {
    const dataDir = newFolder();
    await (await openStore({ dataDir })).close();
    const records = Array.from({ length: 1_000 }, (_, n) => callRecord(n));
    const connection = openSqlite(databaseFile(dataDir));
    connection.exec(`
      delete from schema_migrations where name = '0004-call-segments';
      delete from schema_additions;
      drop table call_segments;
      drop table call_segment_bodies;
      create table call_records (${Object.keys(asRow(records[0]!)).join(', ')});
    `);
    connection.exec('begin');
    for (const record of records) {
      const row = asRow(record);
      connection.run(
        `insert into call_records values (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        Object.values(row),
      );
    }
    connection.exec('commit');
    connection.close();
    const store = await openStore({ dataDir });
    expect(await readAll(store.calls, {}, 300)).toEqual(records.toReversed());
    await store.close();
  });
});

describe('segments of an earlier version, whose figures are JSON', () => {
  it('are turned into numbers when the store is opened', async () => {
    const dataDir = newFolder();
    const records = Array.from({ length: 40 }, (_, n) =>
      callRecord(n, n % 2 === 0 ? { replyText: 'é 😀', upstreamMs: null, message: 'm' } : { steps: [] }),
    );
    const before = await openStore({ dataDir });
    for (const part of [records.slice(0, 15), records.slice(15)]) await writeCalls(before.calls, part);
    await before.close();
    const connection = openSqlite(databaseFile(dataDir));
    const seqs = connection.run('select seq from call_segments order by seq', []).rows as { seq: number }[];
    expect(seqs).toHaveLength(2);
    connection.exec(`
      delete from schema_migrations where name = '0005-numbers-of-calls';
      delete from schema_additions;
      drop index call_segments_later;
      drop index call_segments_small_later;
      alter table call_segments drop column layout;
      drop table call_segment_bodies;
      create table call_segment_bodies (seq integer primary key not null, heads text not null, texts text not null);
    `);
    for (const [part, ofPart] of [records.slice(0, 15), records.slice(15)].entries())
      connection.run('insert into call_segment_bodies values (?, ?, ?)', [
        seqs[part]!.seq,
        ...asEarlierBody(ofPart),
      ]);
    connection.close();
    const store = await openStore({ dataDir });
    expect(await readAll(store.calls, {}, 30)).toEqual(records.toReversed());
    expect(await store.calls.get(records[20]!.id)).toEqual(records[20]);
    await store.close();
  });
});

/** The heads and texts of a segment as the first ones had them. */
function asEarlierBody(records: readonly CallRecord[]): [heads: string, texts: string] {
  const kindOf = (record: CallRecord) => [
    record.toolName,
    record.toolId,
    record.apiSlug,
    record.serverSlug,
    record.callerId,
    record.clientName,
    record.surface,
    record.outcome,
    record.upstreamStatus,
    record.callerLabel,
    record.clientVersion,
  ];
  const textsOf = (record: CallRecord) => [
    record.argumentsText,
    record.replyText,
    record.requestLine,
    record.message,
  ];
  const heads = records.map((record) => [
    record.id,
    record.startedAtMs,
    0,
    record.durationMs,
    record.upstreamMs,
    record.tries,
    record.cached ? 1 : 0,
    record.requestBytes,
    record.replyBytes,
    record.outputTokens,
    ...textsOf(record).map((text) => text?.length ?? -1),
    ...record.steps.map(({ name, startMs, durationMs, note }) =>
      note === undefined ? [name, startMs, durationMs] : [name, startMs, durationMs, note],
    ),
  ]);
  return [JSON.stringify([[kindOf(records[0]!)], heads]), records.flatMap(textsOf).join('')];
}

/** A record as the earlier table had it. */
function asRow(record: CallRecord): Record<string, string | number | null> {
  const { steps, cached, ...others } = record;
  return {
    ...Object.fromEntries(
      Object.entries(others).map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    ),
    cached: cached ? 1 : 0,
    steps_text: JSON.stringify(steps.map((step) => [step.name, step.startMs, step.durationMs, step.note])),
  };
}
