import {
  copyFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { bundle } from '../../test/support/bundle.ts';
import { startChild } from '../../test/support/child.ts';
import { callRecord } from '../../test/support/call-record.ts';
import { describeStore } from '../../test/support/store-contract/describe-store.ts';
import { writeCalls } from '../../test/support/write-calls.ts';
import { backupStore } from './sqlite/backup.ts';
import { openStore } from './open-store.ts';
import { openSqlite } from './sqlite/driver.ts';
import { isMarkedPartial, isWalMissing } from './sqlite/in-use-mark.ts';
import { peekServer } from './sqlite/peek-server.ts';
import { howToRestore } from './sqlite/find-damage.ts';

const root = mkdtempSync(join(tmpdir(), 'handrail-sqlite-'));
let made = 0;
const newFolder = () => join(root, String(made++));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

describeStore('SQLite', async () => ({ dataDir: newFolder() }));

const mode = (path: string) => statSync(path).mode & 0o777;

describe('the data folder', () => {
  test('is made for its owner alone, with all its files', async () => {
    const dataDir = join(newFolder(), 'deep', 'er');
    const store = await openStore({ dataDir });
    await store.meta.set('a', 'b');
    expect(mode(dataDir)).toBe(0o700);
    const files = readdirSync(dataDir);
    expect(files).toContain('handrail.db');
    for (const file of files) expect([file, mode(join(dataDir, file))]).toEqual([file, 0o600]);
    await store.close();
  });

  test('that exists keeps its mode, while our files in it are tightened', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    await (await openStore({ dataDir })).close();
    for (const file of readdirSync(dataDir)) chmodSync(join(dataDir, file), 0o644);
    await (await openStore({ dataDir })).close();
    expect(mode(dataDir)).toBe(0o755);
    for (const file of readdirSync(dataDir)) expect([file, mode(join(dataDir, file))]).toEqual([file, 0o600]);
  });

  test('is refused when a file stands in its place', async () => {
    const dataDir = newFolder();
    writeFileSync(dataDir, '');
    await expect(openStore({ dataDir })).rejects.toMatchObject({
      code: 'store_unreadable',
      message: `The data folder ${dataDir} is not a folder.`,
    });
    await expect(openStore({ dataDir: join(dataDir, 'below') })).rejects.toMatchObject({
      code: 'store_unreadable',
    });
  });
});

describe('the journal of call records', () => {
  test('is moved into the file while records go on being written', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    const file = join(dataDir, 'handrail.db');
    const before = statSync(file).size;
    for (let batch = 0; batch < 7; batch++)
      await writeCalls(
        store.calls,
        Array.from({ length: 1_000 }, (_, i) =>
          callRecord(batch * 1_000 + i, { replyText: String(i).padStart(2_000, 'x') }),
        ),
      );
    await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(before + 500_000), 120_000);
    await store.close();
    const again = await openStore({ dataDir });
    expect((await again.calls.count({})).count).toBe(7_000);
    await again.close();
  });
});

describe('a backup', () => {
  test('is a store of its own, with all that was committed before it', async () => {
    const setting = (id: string) => ({ op: 'put', kind: 'setting', entity: { id, value: 'a' } }) as const;
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    await store.registry.commit(0, [setting('admin_token_hash')]);
    const restored = newFolder();
    mkdirSync(restored);
    const target = join(restored, 'handrail.db');
    await backupStore(dataDir, target);
    expect(mode(target)).toBe(0o600);
    await store.registry.commit(1, [{ op: 'delete', kind: 'setting', id: 'admin_token_hash' }]);
    await store.close();
    const copy = await openStore({ dataDir: restored });
    expect(await copy.registry.load()).toMatchObject({
      seq: 1,
      settings: [{ id: 'admin_token_hash', value: 'a' }],
    });
    await copy.close();
  });

  test('overwrites nothing and needs a store', async () => {
    const dataDir = newFolder();
    await (await openStore({ dataDir })).close();
    const target = newFolder();
    writeFileSync(target, 'precious');
    await expect(backupStore(dataDir, target)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(target, 'utf8')).toBe('precious');
    await expect(backupStore(newFolder(), newFolder())).rejects.toMatchObject({ code: 'not_found' });
    await expect(backupStore(dataDir, join(newFolder(), 'absent', 'x'))).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  test('of a damaged store fails and leaves no file', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'handrail.db'), 'This is not a database. '.repeat(500));
    const target = newFolder();
    await expect(backupStore(dataDir, target)).rejects.toMatchObject({ code: 'store_unreadable' });
    expect(existsSync(target)).toBe(false);
  });
});

describe('a copy of handrail.db from a store in use', () => {
  const setting = (value: string) =>
    ({ op: 'put', kind: 'setting', entity: { id: 'admin_token_hash', value } }) as const;
  const copyFrom = (dataDir: string, files: readonly string[]) => {
    const copy = newFolder();
    mkdirSync(copy);
    for (const file of files) copyFileSync(join(dataDir, file), join(copy, file));
    return copy;
  };

  test('is refused without its log, says what to do, and is used with it', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    await store.registry.commit(0, [setting('a')]);
    await expect.poll(() => isWalMissing(join(copyFrom(dataDir, ['handrail.db']), 'handrail.db'))).toBe(true);
    await store.registry.commit(1, [setting('b')]);
    const alone = copyFrom(dataDir, ['handrail.db']);
    const together = copyFrom(dataDir, ['handrail.db', 'handrail.db-wal']);
    await expect(openStore({ dataDir: alone })).rejects.toMatchObject({
      code: 'store_unreadable',
      message: expect.stringMatching(/without handrail\.db-wal.*handrail backup/) as string,
    });
    await expect(backupStore(alone, newFolder())).rejects.toMatchObject({ code: 'store_unreadable' });
    expect(await peekServer(alone, 'default', 'x')).toBeNull();
    expect(readdirSync(alone)).toEqual(['handrail.db']);
    const copy = await openStore({ dataDir: together });
    expect(await copy.registry.load()).toMatchObject({ seq: 2, settings: [{ value: 'b' }] });
    await copy.close();
    await store.close();
  });

  test('is complete once something else closed the store after a crash', async () => {
    const dataDir = newFolder();
    const child = startChild(await bundle('test/support/store-program.ts'), [
      'commit',
      JSON.stringify({ dataDir }),
    ]);
    for await (const line of child.lines) if (line === '2') break;
    child.kill();
    await child.ended;
    expect(readdirSync(dataDir)).toContain('handrail.db-wal');
    expect(isMarkedPartial(join(dataDir, 'handrail.db'))).toBe(true);
    // Opened and closed by a program that knows nothing of marks: the log is gone, and everything is in the file.
    const foreign = openSqlite(join(dataDir, 'handrail.db'));
    foreign.exec('begin immediate; rollback');
    foreign.close();
    expect(readdirSync(dataDir)).not.toContain('handrail.db-wal');
    const store = await openStore({ dataDir });
    expect((await store.registry.load()).seq).toBeGreaterThanOrEqual(2);
    await store.meta.set('a', 'b');
    const alone = copyFrom(dataDir, ['handrail.db']);
    expect(isWalMissing(join(alone, 'handrail.db'))).toBe(true);
    await store.close();
  });

  test('is complete once the store was closed, also by a process that shared it', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    const other = await openStore({ dataDir });
    await store.registry.commit(0, [setting('a')]);
    await store.close();
    await other.registry.commit(1, [setting('b')]);
    await expect.poll(() => isWalMissing(join(copyFrom(dataDir, ['handrail.db']), 'handrail.db'))).toBe(true);
    await other.close();
    const copy = await openStore({ dataDir: copyFrom(dataDir, ['handrail.db']) });
    expect(await copy.registry.load()).toMatchObject({ seq: 2, settings: [{ value: 'b' }] });
    await copy.close();
  });
});

describe('a store on SQLite that cannot be used', () => {
  test('is refused when the file is not a database', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'handrail.db'), 'This is not a database. '.repeat(500));
    await expect(openStore({ dataDir })).rejects.toMatchObject({
      code: 'store_unreadable',
      message: `handrail.db in the data folder ${dataDir} is not a Handrail store, or it is damaged. ${howToRestore}`,
    });
  });

  test('is refused when its pages are damaged', async () => {
    const dataDir = newFolder();
    const store = await openStore({ dataDir });
    await store.registry.commit(
      0,
      Array.from(
        { length: 500 },
        (_, i) => ({ op: 'put', kind: 'setting', entity: { id: `s${i}`, value: '"x"' } }) as const,
      ),
    );
    await store.close();
    const path = join(dataDir, 'handrail.db');
    const connection = openSqlite(path);
    connection.run('pragma wal_checkpoint(truncate)', []);
    connection.close();
    const file = openSync(path, 'r+');
    // Everything after the first page, which names the tables.
    const { size } = statSync(path);
    writeSync(file, Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096);
    closeSync(file);
    const use = async () => {
      const damaged = await openStore({ dataDir });
      try {
        await damaged.registry.load();
      } finally {
        await damaged.close();
      }
    };
    await expect(use()).rejects.toMatchObject({
      code: 'store_unreadable',
      message: `handrail.db in the data folder ${dataDir} is damaged. ${howToRestore}`,
    });
  });

  test('is refused when a newer version wrote it, and left as it was', async () => {
    const dataDir = newFolder();
    await (await openStore({ dataDir })).close();
    const connection = openSqlite(join(dataDir, 'handrail.db'));
    const before = connection.run('select name from schema_migrations', []).rows;
    connection.exec(`insert into schema_migrations (name, applied_at_ms) values ('9999-from-the-future', 0)`);
    await expect(openStore({ dataDir })).rejects.toMatchObject({ code: 'store_newer' });
    expect(connection.run('select name from schema_migrations', []).rows).toEqual([
      ...before,
      { name: '9999-from-the-future' },
    ]);
    connection.close();
  });
});

describe('a data folder that a newer version works on too', () => {
  test('is opened when that version merely added something', async () => {
    const dataDir = newFolder();
    await (await openStore({ dataDir })).close();
    const connection = openSqlite(join(dataDir, 'handrail.db'));
    connection.exec(`insert into schema_additions (name, applied_at_ms) values ('9999-from-the-future', 0)`);
    connection.close();
    const store = await openStore({ dataDir });
    expect(await store.calls.count({})).toEqual({ count: 0, exact: true });
    await store.close();
  });
});

describe('damage in the file', () => {
  test.each([
    { table: 'given_names', inRegistry: true },
    { table: 'audit_log', inRegistry: false },
  ])('of $table is found and told with what to do', async ({ table, inRegistry }) => {
    const dataDir = newFolder();
    await (await openStore({ dataDir })).close();
    const file = join(dataDir, 'handrail.db');
    const connection = openSqlite(file);
    const [page] = connection.run('select rootpage from sqlite_master where name = ?', [table]).rows as {
      rootpage: number;
    }[];
    const [size] = connection.run('pragma page_size', []).rows as { page_size: number }[];
    connection.close();
    const open = openSync(file, 'r+');
    writeSync(open, Buffer.alloc(200, 0xa5), 0, 200, (page!.rootpage - 1) * size!.page_size);
    closeSync(open);
    const store = await openStore({ dataDir });
    const told = await store.damage('all');
    expect(told).toContain(`the data folder ${dataDir} is damaged`);
    expect(told).toContain(howToRestore);
    expect((await store.damage('registry')) !== null).toBe(inRegistry);
    await store.close();
  });

  test('is not where nothing is damaged', async () => {
    const store = await openStore({ dataDir: newFolder() });
    expect(await store.damage('all')).toBeNull();
    expect(await store.damage('registry')).toBeNull();
    await store.close();
  });
});
