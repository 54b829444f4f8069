import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { unseal } from '../src/credentials/seal.ts';
import { loadMasterKey } from '../src/credentials/master-key.ts';
import type { CallRecord } from '../src/domain/call.ts';
import { matchesFilter } from '../src/storage/matches-filter.ts';
import { openStore, type StoreOptions } from '../src/storage/open-store.ts';
import type { CallFilter, CallStore } from '../src/storage/ports.ts';
import { databaseFile } from '../src/storage/sqlite/data-folder.ts';
import { openSqlite } from '../src/storage/sqlite/driver.ts';
import type { Statistics } from '../src/calls/statistics.ts';
import type { StoreValues } from './fixtures/earlier-stores/take-values.mjs';
import { callRecord } from './support/call-record.ts';
import {
  earlierDataFolders,
  restoreDatabase,
  unpackDataFolder,
  valuesIn,
  valuesOf,
} from './support/earlier-stores.ts';
import { startGateway } from './support/gateway.ts';
import { createDatabase } from './support/postgres/postgres.ts';
import { writeCalls } from './support/write-calls.ts';

const root = mkdtempSync(join(tmpdir(), 'handrail-earlier-'));
let made = 0;
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

interface EarlierStore {
  readonly place: StoreOptions;
  /** What a gateway needs besides to open it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Each fixture with how to bring it back. */
const earlier: Readonly<Record<string, () => Promise<EarlierStore>>> = {
  ...Object.fromEntries(
    earlierDataFolders.map((name) => [
      name,
      async () => {
        const dataDir = join(root, String(made++));
        unpackDataFolder(name, dataDir);
        return { place: { dataDir }, settings: { dataDir } };
      },
    ]),
  ),
  async postgres() {
    const databaseUrl = await createDatabase();
    const secretKey = await restoreDatabase(databaseUrl);
    return { place: { databaseUrl }, settings: { databaseUrl, secretKey } };
  },
};

const newestFirst = (a: CallRecord, b: CallRecord) => b.startedAtMs - a.startedAtMs || (a.id < b.id ? 1 : -1);
/** What this version reads from records that were written before there were parents, and before what models read was told. */
const asFirst = (record: CallRecord): CallRecord => ({
  ...record,
  parentId: null,
  readTokens: null,
  readText: null,
  replyOutline: null,
});

/** The same for sums over calls, wherever they stand. */
function withNothingSaved<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withNothingSaved) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withNothingSaved(inner)]),
  );
  return ('histogram' in copy ? { ...copy, savedTokens: 0 } : copy) as T;
}

/** Whose mistakes failures were is told now: there are as many as were counted then. */
function withFaults(statistics: StoreValues['statistics']): unknown[] {
  return statistics.map(({ answer, ...asked }) => {
    const isEach = (faults: Statistics['faults']) =>
      faults === null ||
      faults.every(({ agent, api, gateway }, at) => agent + api + gateway === answer.series[at]!.errors);
    return { ...asked, answer: { ...answer, faults: expect.toSatisfy(isEach) as unknown } };
  });
}

async function readAll(calls: CallStore, filter: CallFilter, limit: number): Promise<CallRecord[]> {
  const all: CallRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await calls.find(filter, limit, cursor);
    all.push(...page.calls);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe.each(Object.keys(earlier))('a store of an earlier version: %s', (name) => {
  const values = valuesOf(name);

  it('holds what its own version found in it', async () => {
    const { place } = await earlier[name]!();
    const { key: _, commit: __, ...found } = values as typeof values & { commit: string };
    const expected = {
      ...found,
      registry: { ...found.registry, composedTools: [], models: [], checks: [], setAside: [] },
      feed: { ...found.feed, setAside: [] },
      calls: found.calls.map(asFirst),
      rollups: withNothingSaved(found.rollups),
      statistics: withFaults(withNothingSaved(found.statistics)),
    };
    expect(values.calls).toHaveLength(315);
    expect(await valuesIn(place)).toEqual(expected);
    // And it is the same when it was opened before.
    expect(await valuesIn(place)).toEqual(expected);
  });

  it('pages, filters, counts, merges and purges its records together with those of this version', async () => {
    const { place } = await earlier[name]!();
    const store = await openStore(place);
    const known = values.calls.map(asFirst);
    const parent = known[100]!;
    // Among the earlier ones in time, some with a parent and some without, and so few at a time that they are merged.
    for (let n = 0; n < 60; n++) {
      const records = Array.from({ length: 1 + (n % 3) }, (_, i) =>
        callRecord(n * 10 + i, {
          startedAtMs: known[(n * 5) % known.length]!.startedAtMs + i,
          parentId: n % 4 === 0 ? parent.id : null,
          toolName: 'getStation',
          outcome: n % 5 === 0 ? 'upstream_status' : 'ok',
        }),
      );
      await writeCalls(store.calls, records);
      known.push(...records);
    }
    const filters: CallFilter[] = [
      {},
      { parentId: parent.id },
      { parentId: parent.id, outcome: 'error' },
      { parentId: 'call_none' },
      { toolName: 'getStation' },
      { outcome: 'upstream_status' },
      { text: 'zürich' },
      { fromMs: parent.startedAtMs },
    ];
    const check = async () => {
      for (const filter of filters) {
        const wanted = known.filter((record) => matchesFilter(record, filter)).sort(newestFirst);
        expect(await readAll(store.calls, filter, 37)).toEqual(wanted);
        expect(await store.calls.count(filter)).toEqual({ count: wanted.length, exact: true });
      }
    };
    await check();
    for (const record of known.slice(-5)) expect(await store.calls.get(record.id)).toEqual(record);
    const before = known[200]!.startedAtMs;
    const purged = known.filter((record) => record.startedAtMs < before).length;
    expect(await store.calls.purge(before, 10_000)).toBe(purged);
    known.splice(0, known.length, ...known.filter((record) => record.startedAtMs >= before));
    await check();
    expect(await store.calls.unreadable()).toEqual({ newer: 0, damaged: 0 });
    await store.close();
  });

  it('opens its sealed credential, lets its key and its admin in, and shows its calls in a gateway', async () => {
    const { place, settings } = await earlier[name]!();
    const store = await openStore(place);
    const [credential] = (await store.registry.load()).credentials;
    const { ring, warning } = await loadMasterKey({
      dataDir: 'dataDir' in place ? place.dataDir : null,
      meta: store.meta,
      ...(typeof settings['secretKey'] === 'string' && { secretKey: settings['secretKey'] }),
    });
    expect(warning).toBeNull();
    expect(Object.values(unseal(ring, credential!, credential!.sealed))).toEqual([
      'a-credential-for-fixtures',
    ]);
    await store.close();

    const gateway = await startGateway({ ...settings, demo: true });
    try {
      const session = await gateway.request(
        'POST',
        '/api/v1/session',
        { name: 'Ada', password: 'a password for fixtures' },
        {},
      );
      expect(session.statusCode).toBe(201);
      const list = await gateway.request(
        'POST',
        '/mcp/team',
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { authorization: `Bearer ${values.key}`, accept: 'application/json, text/event-stream' },
      );
      expect(list.statusCode).toBe(200);
      expect(list.body).toContain('getStation');
      const calls = await gateway.request('GET', '/api/v1/calls?limit=10&server=team');
      expect(calls.json<{ items: object[] }>().items).toHaveLength(10);
      const lines = await gateway.request('GET', '/api/v1/calls/export?format=ndjson');
      expect(lines.body.trim().split('\n')).toHaveLength(values.calls.length);
    } finally {
      await gateway.close();
    }
  });
});

describe('rows of call records', () => {
  it('are moved into segments however many there are', async () => {
    const dataDir = join(root, String(made++));
    unpackDataFolder('call-rows', dataDir);
    const connection = openSqlite(databaseFile(dataDir));
    const columns = connection
      .run('select name from pragma_table_info(?)', ['call_records'])
      .rows.map((row) => (row as { name: string }).name);
    const others = columns.filter((column) => column !== 'id').join(', ');
    for (const copy of ['a', 'b', 'c'])
      connection.run(
        `insert into call_records (id, ${others}) select id || ?, ${others} from call_records where length(id) = 31`,
        [copy],
      );
    connection.close();
    const known = valuesOf('call-rows').calls.flatMap((record) =>
      ['', 'a', 'b', 'c'].map((copy) => ({ ...asFirst(record), id: record.id + copy })),
    );
    const store = await openStore({ dataDir });
    expect(await readAll(store.calls, {}, 300)).toEqual(known.sort(newestFirst));
    await store.close();
  });
});

describe('tables that grew', () => {
  it.each(earlierDataFolders)('are those of a new store: %s', async (name) => {
    const tablesOf = (dataDir: string) => {
      const connection = openSqlite(databaseFile(dataDir));
      const rows = connection.run('select type, name, sql from sqlite_master order by type, name', []).rows;
      connection.close();
      return rows;
    };
    const fresh = join(root, String(made++));
    await (await openStore({ dataDir: fresh })).close();
    const grown = join(root, String(made++));
    unpackDataFolder(name, grown);
    await (await openStore({ dataDir: grown })).close();
    expect(tablesOf(grown)).toEqual(tablesOf(fresh));
  });

  it('are those of a new database: postgres', async () => {
    const tablesOf = async (databaseUrl: string) => {
      await (await openStore({ databaseUrl })).close();
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      const { rows: columns } = await client.query(
        `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
         where table_schema = 'public' order by 1, ordinal_position`,
      );
      const { rows: indexes } = await client.query(
        `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`,
      );
      await client.end();
      return { columns, indexes };
    };
    const grown = await createDatabase();
    await restoreDatabase(grown);
    expect(await tablesOf(grown)).toEqual(await tablesOf(await createDatabase()));
  });
});
