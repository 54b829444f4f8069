import { Kysely } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqliteDriver } from './dialect.ts';
import { openReadOnly, openSqlite, type SqliteConnection } from './driver.ts';

interface Rows {
  readonly rows: { readonly value: number };
}

const folder = mkdtempSync(join(tmpdir(), 'handrail-units-'));
let made = 0;
let file: string;
let other: SqliteConnection;
let opened: SqliteConnection[];
let unowned: number;
let driver: SqliteDriver;
let db: Kysely<Rows>;

function start(kind: 'read' | 'write'): void {
  driver = new SqliteDriver({
    kind,
    open: () => {
      const connection = kind === 'read' ? openReadOnly(file) : openSqlite(file);
      opened.push(connection);
      return connection;
    },
    onUnowned: () => unowned++,
  });
  db = new Kysely<Rows>({ dialect: driver.dialect });
}

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
beforeEach(() => {
  file = join(folder, String(made++));
  opened = [];
  unowned = 0;
  other = openSqlite(file);
  other.exec('pragma journal_mode = wal; create table rows (value integer not null unique)');
  start('write');
});
afterEach(async () => {
  await driver.close();
  other.close();
});

const insert = (value: number) =>
  db.transaction().execute((trx) => trx.insertInto('rows').values({ value }).execute());
const seenByOthers = () =>
  (other.run('select value from rows order by value', []).rows as { value: number }[]).map(
    ({ value }) => value,
  );

/** What a single prepared statement does that meets another's lock. */
function leaveStatementOpen(): void {
  other.exec('begin immediate');
  expect(() => opened[0]!.run('insert into rows values (0)', [])).toThrow('locked');
  other.exec('rollback');
}

describe('a transaction that no unit of work owns', () => {
  test('is found by the next commit, which is refused, and hinders none after it', async () => {
    leaveStatementOpen();
    await expect(insert(1)).rejects.toMatchObject({ code: 'unavailable' });
    expect(unowned).toBe(1);
    await insert(2);
    expect(seenByOthers()).toEqual([2]);
    other.exec('begin immediate; rollback');
  });

  test.each([
    ['the next unit of work', () => insert(2)],
    [
      'a look while nothing runs',
      async () => {
        driver.check();
        await insert(2);
      },
    ],
  ])('is found by %s', async (_name, find) => {
    opened[0]!.exec('begin immediate; insert into rows values (1)');
    await find();
    expect(unowned).toBe(1);
    expect(seenByOthers()).toEqual([2]);
  });

  test('is found when it keeps the connection at an earlier moment', async () => {
    for (let value = 1; value <= 200; value++) other.run('insert into rows values (?)', [value]);
    opened[0]!.exec('begin; select 1 from rows');
    other.exec('insert into rows values (201)');
    await insert(202);
    expect(unowned).toBe(1);
    expect(seenByOthers()).toHaveLength(202);
  });

  test('is not one that a unit of work is in the middle of', async () => {
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('rows').values({ value: 1 }).execute();
      driver.check();
    });
    expect([unowned, seenByOthers()]).toEqual([0, [1]]);
  });
});

test('a unit of work that fails leaves its connection to the next, or a new one when a statement may be open', async () => {
  await insert(1);
  await expect(insert(1)).rejects.toThrow('UNIQUE');
  await insert(2);
  expect(opened).toHaveLength(1);
  await expect(
    db.transaction().execute(async () => driver.run('insert into nowhere values (1)', [])),
  ).rejects.toThrow('nowhere');
  await insert(3);
  expect(opened).toHaveLength(2);
  expect([unowned, seenByOthers()]).toEqual([0, [1, 2, 3]]);
});

test('nothing is written outside a transaction, nor by one that only reads', async () => {
  await expect(db.insertInto('rows').values({ value: 1 }).execute()).rejects.toThrow('Only a transaction');
  expect(() => driver.run('insert into rows values (1)', [])).toThrow('no unit of work');
  await driver.close();
  start('read');
  await expect(insert(1)).rejects.toThrow('readonly');
  await expect(db.insertInto('rows').values({ value: 1 }).execute()).rejects.toThrow('readonly');
  expect(seenByOthers()).toEqual([]);
});

test('closing lets the unit of work finish that is under way, and refuses those after it', async () => {
  let goOn!: () => void;
  const written = db.transaction().execute(async (trx) => {
    await new Promise<void>((resolve) => (goOn = resolve));
    await trx.insertInto('rows').values({ value: 1 }).execute();
  });
  await expect.poll(() => goOn).toBeDefined();
  const closed = driver.close();
  const late = insert(2);
  goOn();
  await Promise.all([written, closed]);
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  expect(seenByOthers()).toEqual([1]);
});
