import { Client } from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createDatabase } from '../../test/support/postgres/postgres.ts';
import { describeStore } from '../../test/support/store-contract/describe-store.ts';
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
