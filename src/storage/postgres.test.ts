import { describeGrants, describeMembers } from '../../test/support/store-contract/budget-ledger.ts';
import { Client } from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createDatabase } from '../../test/support/postgres/postgres.ts';
import { callRecord } from '../../test/support/call-record.ts';
import { describeStore } from '../../test/support/store-contract/describe-store.ts';
import { startPooler } from '../../test/support/servers/pooler.ts';
import { writeCalls } from '../../test/support/write-calls.ts';
import { openStore } from './open-store.ts';

// The first database waits for PostgreSQL to start, which a hook has the time for.
beforeAll(createDatabase);

describeStore('PostgreSQL', async () => ({ databaseUrl: await createDatabase() }));

const query = async (databaseUrl: string, text: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

const refusal = async (databaseUrl: string): Promise<{ code: string; message: string }> => {
  try {
    await (await openStore({ databaseUrl })).close();
  } catch (thrown) {
    return thrown as { code: string; message: string };
  }
  throw new Error('it was opened');
};

describe('a store on PostgreSQL that cannot be used', () => {
  test('is refused when a newer version wrote it, and left as it was', async () => {
    const databaseUrl = await createDatabase();
    await (await openStore({ databaseUrl })).close();
    const before = await query(databaseUrl, 'select name from schema_migrations');
    await query(databaseUrl, `insert into schema_migrations values ('9999-from-the-future', 0)`);
    expect(await refusal(databaseUrl)).toMatchObject({ code: 'store_newer' });
    expect(await query(databaseUrl, 'select name from schema_migrations order by name')).toHaveLength(
      before.length + 1,
    );
  });

  test('is refused without telling the password when the server does not answer', async () => {
    const { code, message } = await refusal('postgres://someone:hush@127.0.0.1:1/nothing');
    expect(code).toBe('store_unreadable');
    expect(message).toBe(
      'PostgreSQL at 127.0.0.1:1 cannot be reached. Check that it runs and that the database URL is right.',
    );
  });

  test('is refused when the password is wrong', async () => {
    const url = new URL(await createDatabase());
    url.password = 'hush';
    const { code, message } = await refusal(url.href);
    expect(code).toBe('store_unreadable');
    expect(message).toBe(`PostgreSQL at ${url.host} refused the user or password of the database URL.`);
  });

  test('is refused when the database does not exist', async () => {
    const url = new URL(await createDatabase());
    url.pathname = '/absent';
    const { code, message } = await refusal(url.href);
    expect(code).toBe('store_unreadable');
    expect(message).toBe(
      `PostgreSQL at ${url.host} has no database "absent". Create it, or correct the database URL.`,
    );
  });

  test('is refused when the URL is not one of PostgreSQL', async () => {
    for (const databaseUrl of ['', 'nonsense', 'mysql://user:hush@host/db']) {
      const { code, message } = await refusal(databaseUrl);
      expect(code).toBe('config_invalid');
      expect(message).not.toContain('hush');
    }
  });
});

describe('a database that a newer version works on too', () => {
  test('is opened when that version merely added something', async () => {
    const databaseUrl = await createDatabase();
    await (await openStore({ databaseUrl })).close();
    await query(databaseUrl, `insert into schema_additions values ('9999-from-the-future', 0)`);
    const store = await openStore({ databaseUrl });
    expect(await store.calls.count({})).toEqual({ count: 0, exact: true });
    await store.close();
  });

  test('has its newer call records left out and left alone, and counted', async () => {
    const databaseUrl = await createDatabase();
    const store = await openStore({ databaseUrl });
    const records = Array.from({ length: 6 }, (_, n) => callRecord(n));
    await writeCalls(store.calls, records);
    await query(databaseUrl, `update call_records set layout = 9 where id = '${records[2]!.id}'`);
    const known = records.filter((record) => record !== records[2]);
    expect((await store.calls.find({}, 10)).calls).toEqual(known.toReversed());
    expect((await store.calls.find({ text: 'paris' }, 10)).calls).toEqual(known.toReversed());
    expect(await store.calls.count({})).toEqual({ count: 5, exact: true });
    expect(await store.calls.get(records[2]!.id)).toBeNull();
    expect(await store.calls.purge(records[5]!.startedAtMs + 1, 100)).toBe(5);
    expect(await store.calls.unreadable()).toEqual({ newer: 1, damaged: 0 });
    await store.close();
    expect(await query(databaseUrl, 'select id from call_records')).toEqual([{ id: records[2]!.id }]);
  });
});

describe('partitions of call records on PostgreSQL', () => {
  const dayMs = 86_400_000;
  const firstDay = 19_000;
  /** Three a day. */
  const records = Array.from({ length: 30 }, (_, n) =>
    callRecord(n, { startedAtMs: Math.floor(firstDay * dayMs + (n * dayMs) / 3), replyText: `reply ${n}` }),
  );
  const partitions = async (databaseUrl: string) =>
    (await query(
      databaseUrl,
      `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'call_records'::regclass order by name`,
    )) as { name: string }[];

  test('are one a day, and go at once when all of it is old', async () => {
    const databaseUrl = await createDatabase();
    const store = await openStore({ databaseUrl });
    await writeCalls(store.calls, records);
    expect(await partitions(databaseUrl)).toHaveLength(10);
    expect((await store.calls.find({}, 100)).calls).toEqual(records.toReversed());
    expect((await store.calls.find({ upstreamStatus: 200, text: 'reply 2' }, 100)).calls).toHaveLength(11);
    expect(await store.calls.count({ toolName: 'weather_get' })).toEqual({ count: 30, exact: true });
    // Two whole days and a record of the third.
    expect(await store.calls.purge(records[6]!.startedAtMs + 1, 100)).toBe(7);
    expect(await partitions(databaseUrl)).toHaveLength(8);
    expect((await store.calls.find({}, 100)).calls).toEqual(records.slice(7).toReversed());
    // A late record makes its day again, which this process remembers.
    await writeCalls(store.calls, [records[1]!]);
    expect(await store.calls.get(records[1]!.id)).toEqual(records[1]);
    await store.close();
  });

  test('are made again when another process dropped them', async () => {
    const databaseUrl = await createDatabase();
    const stores = [await openStore({ databaseUrl }), await openStore({ databaseUrl })];
    await Promise.all(stores.map((store, n) => writeCalls(store.calls, [records[n]!])));
    expect(await partitions(databaseUrl)).toHaveLength(1);
    expect(await stores[0]!.calls.purge(records[9]!.startedAtMs, 10)).toBe(2);
    await writeCalls(stores[1]!.calls, [records[2]!]);
    expect((await stores[0]!.calls.find({}, 10)).calls).toEqual([records[2]]);
    for (const store of stores) await store.close();
  });

  test('take over what an older store has, in steps, with everything readable all the time', async () => {
    const databaseUrl = await createDatabase();
    const store = await openStore({ databaseUrl });
    await writeCalls(store.calls, records);
    // As the migration leaves a store that has records.
    for (const text of [
      'create table call_records_unpartitioned (like call_records including defaults, primary key (id))',
      'insert into call_records_unpartitioned select * from call_records',
      'create index on call_records_unpartitioned (started_at_ms)',
      'delete from call_records',
      'create or replace view all_call_records as select * from call_records union all select * from call_records_unpartitioned',
    ])
      await query(databaseUrl, text);
    const check = async () => {
      expect((await store.calls.find({}, 100)).calls).toEqual(records.toReversed());
      expect((await store.calls.find({ text: 'REPLY 2' }, 100)).calls).toHaveLength(11);
      expect(await store.calls.count({})).toEqual({ count: 30, exact: true });
      expect(await store.calls.get(records[3]!.id)).toEqual(records[3]);
    };
    await check();
    expect(await store.calls.maintain()).toBe(true);
    expect(await query(databaseUrl, 'select id from call_records order by id')).toEqual(
      records.slice(27).map(({ id }) => ({ id })),
    );
    await check();
    expect(await store.calls.purge(records[4]!.startedAtMs, 100)).toBe(4);
    records.splice(0, 4);
    expect(await store.calls.dropContents(0, records[1]!.startedAtMs)).toBeNull();
    expect((await store.calls.get(records[0]!.id))?.replyText).toBeNull();
    let steps = 0;
    while (await store.calls.maintain()) steps++;
    expect(steps).toBe(8);
    expect(await query(databaseUrl, `select to_regclass('call_records_unpartitioned') as gone`)).toEqual([
      { gone: null },
    ]);
    expect(await store.calls.count({})).toEqual({ count: 26, exact: true });
    await store.close();
  });

  test('are few in the plan of a page, which reads by index, however many there are', async () => {
    const databaseUrl = await createDatabase();
    const store = await openStore({ databaseUrl });
    await writeCalls(store.calls, records);
    const planned = (await query(
      databaseUrl,
      `explain (format json) select * from all_call_records where tool_name = 'weather_get' and layout <= 3
        and started_at_ms >= ${(firstDay + 9) * dayMs} and started_at_ms < ${(firstDay + 10) * dayMs}
        order by started_at_ms desc, id desc limit 51`,
    )) as object[];
    const text = JSON.stringify(planned);
    const tables = new Set(Array.from(text.matchAll(/"Relation Name":"(\w+)"/g), ([, name]) => name));
    expect([...tables]).toEqual([`call_records_d${firstDay + 9}`]);
    await store.close();
  });
});

describe('a PostgreSQL server that drops its connections, also in the middle of transactions', () => {
  test('is asked anew by the next calls, and only those it hit complain', async () => {
    const databaseUrl = await createDatabase();
    const store = await openStore({ databaseUrl });
    const complaints = new Set<string | undefined>();
    const state = { stopped: false };
    const work = async (name: string) => {
      while (!state.stopped) {
        await store.meta.set(name, 'x').catch((thrown: { code?: string }) => complaints.add(thrown.code));
      }
    };
    const workers = ['a', 'b', 'c', 'd'].map(work);
    // At least ten rounds, and as many as it takes to hit somebody.
    for (let round = 0; round < 10 || complaints.size === 0; round++) {
      await query(
        databaseUrl,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    }
    state.stopped = true;
    await Promise.all(workers);
    expect([...complaints]).toEqual(['unavailable']);
    await vi.waitFor(() => store.ping(), { timeout: 120_000 });
    await store.close();
  });
});

describe('watching PostgreSQL', () => {
  test('calls back after a lost connection was made anew, because changes may have passed', async () => {
    const databaseUrl = await createDatabase();
    const store = await openStore({ databaseUrl });
    let heard = () => {};
    const notice = () => new Promise<void>((resolve) => (heard = resolve));
    const stop = await store.watch(() => heard());
    const resynced = notice();
    await query(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()`,
    );
    await resynced;
    const next = notice();
    await store.registry.commit(0, []);
    await next;
    expect((await store.registry.changesSince(0))?.seq).toBe(1);
    await stop();
    await store.close();
  });
});

test('hints reach other instances, not whoever told them, and are no change of the registry', async () => {
  const databaseUrl = await createDatabase();
  const stores = [await openStore({ databaseUrl }), await openStore({ databaseUrl })];
  const heard: unknown[] = [];
  const changes: number[] = [];
  let haveHeard = () => {};
  const both = new Promise<void>((resolve) => (haveHeard = resolve));
  for (const [at, store] of stores.entries()) {
    await store.watch(() => changes.push(at));
    store.hints!.on('circuit', (body) => {
      heard.push([at, body]);
      if (heard.length === 2) haveHeard();
    });
  }
  stores[0]!.hints!.tell('unknown', 1);
  stores[0]!.hints!.tell('circuit', { apiId: 'api_1' });
  await query(databaseUrl, `select pg_notify('handrail_registry', 'no json')`);
  stores[1]!.hints!.tell('circuit', null);
  await both;
  expect(heard).toEqual(
    expect.arrayContaining([
      [1, { apiId: 'api_1' }],
      [0, null],
    ]),
  );
  expect(changes).toEqual([]);
  for (const store of stores) await store.close();
});

test('a record with characters that the database cannot hold is kept without them, and the others whole', async () => {
  const first = new URL(await createDatabase());
  const name = `latin_${first.pathname.slice(1)}`;
  await query(
    first.href,
    `create database "${name}" encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`,
  );
  const latin = new URL(first);
  latin.pathname = `/${name}`;
  const store = await openStore({ databaseUrl: latin.href });
  try {
    const odd = callRecord(2, { argumentsText: '{"say":"日本 \u{1f642}"}' });
    await writeCalls(store.calls, [callRecord(1), odd, callRecord(3)]);
    const { calls } = await store.calls.find({}, 10);
    expect(calls.map(({ id, argumentsText }) => [id, argumentsText])).toEqual([
      [callRecord(3).id, '{"city":"Paris"}'],
      [odd.id, null],
      [callRecord(1).id, '{"city":"Paris"}'],
    ]);
    expect(calls[1]!.message).toContain('without its contents');
  } finally {
    await store.close();
  }
});

async function openBudgets() {
  const databaseUrl = await createDatabase();
  const stores = await Promise.all([1, 2, 3].map(() => openStore({ databaseUrl })));
  return {
    ways: stores.map((store) => store.budgets!),
    close: async () => void (await Promise.all(stores.map((store) => store.close()))),
  };
}
describeGrants('PostgreSQL', openBudgets);
describeMembers('PostgreSQL', openBudgets);

test('a pooler that rejects startup parameters is enough, and every write still has its limits', async () => {
  const databaseUrl = await createDatabase();
  const pooler = await startPooler(databaseUrl);
  const store = await openStore({ databaseUrl: pooler.url });
  expect(pooler.rejected).not.toEqual([]);
  await store.registry.commit(0, [
    { op: 'put', kind: 'setting', entity: { id: 'admin_token_hash', value: 'b' } },
  ]);
  expect(await store.registry.load()).toMatchObject({
    seq: 1,
    settings: [{ id: 'admin_token_hash', value: 'b' }],
  });
  // A statement of its own has no limit: what a transaction sets ends with it.
  await query(
    databaseUrl,
    `create function say_limit() returns trigger language plpgsql as
     $$ begin new.value := current_setting('statement_timeout'); return new; end $$;
     create trigger say_limit before insert or update on meta for each row execute function say_limit()`,
  );
  await store.meta.set('limit', 'none');
  expect(await store.meta.get('limit')).toBe('30s');
  await store.close();
  await pooler.close();
});
