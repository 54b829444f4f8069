import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { Pool } from 'pg';
import { exportOmissions } from '../domain/export-omissions.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../../test/support/postgres/postgres.ts';
import type { StoreKind } from '../domain/settings.ts';
import type { Database } from './database.ts';
import { migrate, type Migration, migrations } from './migrate.ts';
import { openStore, type StoreOptions } from './open-store.ts';
import type { Tables } from './schema.ts';
import { databaseFile, prepareDataFolder } from './sqlite/data-folder.ts';
import { openDatabase } from './sqlite/database.ts';

type Write = Pick<Database, 'write'>;

const root = mkdtempSync(join(tmpdir(), 'handrail-migrate-'));
let made = 0;
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
beforeAll(createDatabase);

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An empty database of each engine, and the place that a store opens it at. */
const engines: Readonly<
  Record<StoreKind, () => Promise<{ readonly db: Write; readonly place: StoreOptions }>>
> = {
  async sqlite() {
    const dataDir = join(root, String(made++));
    prepareDataFolder(dataDir);
    const opened = await openDatabase(databaseFile(dataDir), {
      onCommitted() {},
      onUnmarked() {},
      isMarked: false,
      onUnowned() {},
    });
    closers.push(() => opened.close());
    return { db: opened.quick, place: { dataDir } };
  },
  async postgres() {
    const databaseUrl = await createDatabase();
    const pool = new Pool({ connectionString: databaseUrl });
    const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    closers.push(() => kysely.destroy());
    return { db: { write: (work) => kysely.transaction().execute(work) }, place: { databaseUrl } };
  },
};

/** Puts one row in every table that has none. Texts are all alike, so that references between tables are met. */
async function fill(trx: Transaction<Tables>): Promise<void> {
  for (const { name, columns } of await trx.introspection.getTables()) {
    const { rows } = await sql`select 1 from ${sql.table(name)}`.execute(trx);
    if (rows.length > 0) continue;
    const names = sql.join(columns.map((column) => sql.ref(column.name)));
    const values = sql.join(columns.map((column) => valueOf(column.dataType)));
    await sql`insert into ${sql.table(name)} (${names}) values (${values})`.execute(trx);
  }
}

function valueOf(type: string): string | number | Buffer {
  switch (type.toLowerCase()) {
    case 'text':
      return 'some text';
    case 'blob':
    case 'bytea':
      return Buffer.from([0, 1, 255]);
    case 'real':
    case 'float8':
      return 1.5;
    default:
      return 7;
  }
}

const rowsIn = (db: Write): Promise<Record<string, object[]>> =>
  db.write(async (trx) => {
    const all: Record<string, object[]> = {};
    for (const { name } of await trx.introspection.getTables())
      all[name] = (await sql<object>`select * from ${sql.table(name)}`.execute(trx)).rows;
    return all;
  });

/** Matches these rows, whatever columns they have besides and whatever the lists of migrations have. */
const withMore = ({
  admins,
  admin_sessions: sessions,
  call_records: records,
  ...rows
}: Record<string, { id?: string; admin_id?: string }[]>): object => ({
  ...rows,
  // On PostgreSQL; they move into partitions later.
  ...(records && { call_records_unpartitioned: records, all_call_records: records }),
  // Admins have become people.
  people: admins!.map((row) => expect.objectContaining({ ...row, identity: `local:${row.id}` }) as unknown),
  person_sessions: sessions!.map(({ admin_id: personId, ...row }) => ({ ...row, person_id: personId })),
  ...Object.fromEntries(
    ['schema_migrations', 'schema_additions'].map((list) => [
      list,
      expect.arrayContaining(rows[list]!) as unknown,
    ]),
  ),
});

describe.each(['sqlite', 'postgres'] as const)('a store of 0.1.0 on %s', (kind) => {
  /** One with a row in every table. */
  async function makeFilled() {
    const { db, place } = await engines[kind]();
    await migrate(db, kind, migrations.slice(0, 1));
    await db.write(fill);
    const rows = await rowsIn(db);
    expect(Object.keys(rows).length).toBeGreaterThan(20);
    for (const [table, own] of Object.entries(rows)) expect([table, own.length]).toEqual([table, 1]);
    return { db, place, rows };
  }

  test('keeps every row when this version opens it, once and again', async () => {
    const { db, place, rows } = await makeFilled();
    for (let n = 0; n < 2; n++) {
      await (await openStore(place)).close();
      expect(await rowsIn(db)).toMatchObject(withMore(rows));
    }
  });

  test.each([{ adds: true, list: 'schema_additions' } as const, { list: 'schema_migrations' } as const])(
    'keeps every row through a later migration, which runs once: $list',
    async ({ list, ...entry }) => {
      const { db, rows } = await makeFilled();
      let runs = 0;
      const later: Migration = {
        name: '9999-later',
        ...entry,
        async up(trx) {
          runs++;
          await trx.schema
            .alterTable('apis')
            .addColumn('later', 'integer', (c) => c.notNull().defaultTo(3))
            .execute();
          await trx.schema.createTable('later_table').addColumn('id', 'text').execute();
        },
      };
      for (let n = 0; n < 2; n++) await migrate(db, kind, [...migrations, later]);
      expect(runs).toBe(1);
      const now = await rowsIn(db);
      expect(now).toMatchObject(withMore(rows));
      expect(now['apis']).toEqual([expect.objectContaining({ later: 3 })]);
      expect(now['later_table']).toEqual([]);
      expect(now[list]).toContainEqual(expect.objectContaining({ name: '9999-later' }));
    },
  );

  test('keeps every row and has no trace of a later migration that fails', async () => {
    const { db, rows } = await makeFilled();
    const later: Migration = {
      name: '9999-later',
      async up(trx) {
        await sql`delete from meta`.execute(trx);
        throw new Error('half done');
      },
    };
    await expect(migrate(db, kind, [...migrations, later])).rejects.toThrow('half done');
    expect(await rowsIn(db)).toEqual(rows);
  });
});

describe.each(['sqlite', 'postgres'] as const)('admins of a store of 0.1.0 on %s', (kind) => {
  test('become people who sign in as before, and one that cannot be read stays nobody', async () => {
    const { db, place } = await engines[kind]();
    await migrate(db, kind, migrations.slice(0, 1));
    const ada = {
      id: 'admin_1',
      revision: 4,
      createdAtMs: 1,
      updatedAtMs: 2,
      name: 'Ada',
      role: 'owner',
      passwordHash: '$argon2id$x',
      invitation: { hash: 'h'.repeat(64), expiresAtMs: 9 },
    };
    await db.write(async (trx) => {
      for (const [id, doc, key] of [
        ['admin_1', JSON.stringify(ada), 'ada'],
        ['admin_2', '{"broken', 'eve'],
      ])
        await sql`insert into admins (id, revision, updated_at_ms, doc, name_key) values (${id}, 4, 2, ${doc}, ${key})`.execute(
          trx,
        );
      await sql`insert into admin_sessions (hash, admin_id, created_at_ms, last_seen_at_ms, expires_at_ms, address, user_agent) values ('s', 'admin_1', 1, 1, 9, '', '')`.execute(
        trx,
      );
    });
    const store = await openStore(place);
    try {
      expect(await store.people.byName('ada')).toEqual({
        ...ada,
        issuer: 'local',
        identity: 'local:admin_1',
        version: 1,
      });
      expect((await store.people.byInvitation('h'.repeat(64)))?.id).toBe('admin_1');
      expect(await store.sessions.get('s')).toMatchObject({ personId: 'admin_1' });
      expect(await store.people.byName('eve')).toBeNull();
      expect(await store.people.hasPasswords()).toBe(true);
      expect(await store.people.unreadable(10)).toMatchObject([{ kind: 'person', id: 'admin_2' }]);
      expect((await store.people.list({ limit: 10, search: 'AD' })).people).toHaveLength(1);
    } finally {
      await store.close();
    }
  });
});

describe.each(['sqlite', 'postgres'] as const)('a store of a development version on %s', (kind) => {
  test('is refused with what to do, and left as it was', async () => {
    const { db, place } = await engines[kind]();
    await db.write(async (trx) => {
      await sql`create table schema_migrations (name text primary key, applied_at_ms bigint not null)`.execute(
        trx,
      );
      await sql`insert into schema_migrations values ('0001-first-tables', 1), ('0002-admins-and-audit', 2)`.execute(
        trx,
      );
    });
    const before = await rowsIn(db);
    await expect(openStore(place)).rejects.toMatchObject({
      code: 'store_unreadable',
      message:
        'This store was made by a development version before 0.1.0. Export it with that version and import it here. ' +
        `An export omits: ${exportOmissions.join('; ')}.`,
    });
    expect(await rowsIn(db)).toEqual(before);
  });
});
