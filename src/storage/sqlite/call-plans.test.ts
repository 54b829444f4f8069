import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { callRecord } from '../../../test/support/call-record.ts';
import { writeCalls } from '../../../test/support/write-calls.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { openStore } from '../open-store.ts';
import type { CallFilter } from '../ports.ts';
import { databaseFile } from './data-folder.ts';
import type * as driver from './driver.ts';

const asked = new Map<string, readonly unknown[]>();

vi.mock('./driver.ts', async (original) => {
  const real = await original<typeof driver>();
  const noting = (connection: driver.SqliteConnection): driver.SqliteConnection => ({
    run(text, values) {
      asked.set(text, values);
      return connection.run(text, values);
    },
    exec: (text) => connection.exec(text),
    get inTransaction() {
      return connection.inTransaction;
    },
    close: () => connection.close(),
  });
  return {
    ...real,
    openSqlite: (file: string) => noting(real.openSqlite(file)),
    openReadOnly: (file: string) => noting(real.openReadOnly(file)),
  };
});

const folder = mkdtempSync(join(tmpdir(), 'handrail-plans-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const filters: readonly CallFilter[] = [
  {},
  { toolName: 'rare' },
  { callerId: 'key:1', serverSlug: 'team' },
  { outcome: 'error' },
  { upstreamStatus: 500 },
  { text: 'needle' },
  { parentId: 'call_a' },
  { fromMs: 1_700_000_000_000, toMs: 1_700_000_001_000 },
];

it('finds its rows by an index in every statement of a question about records, however many there are', async () => {
  const store = await openStore({ dataDir: folder });
  for (let at = 0; at < 40; at++)
    await writeCalls(
      store.calls,
      Array.from({ length: 50 }, (_, n) => callRecord(at * 50 + n)),
    );
  asked.clear();
  for (const filter of filters) {
    const { nextCursor } = await store.calls.find(filter, 5);
    if (nextCursor !== null) await store.calls.find(filter, 5, nextCursor);
    await store.calls.count(filter);
  }
  await store.calls.get('call_00000007');
  const statements = [...asked].filter(([text]) => /^(?:select|with)/i.test(text) && text.includes('call_'));
  expect(statements.length).toBeGreaterThan(4);
  await store.close();
  const { openSqlite } = await vi.importActual<typeof driver>('./driver.ts');
  const connection = openSqlite(databaseFile(folder));
  for (const [text, values] of statements) {
    const plan = connection
      .run(`explain query plan ${text}`, values)
      .rows.map((row) => objectOr(row)['detail']);
    // A scan reads every segment, and so does sorting them all.
    expect(plan.filter((step) => /^SCAN|TEMP B-TREE FOR ORDER BY/.test(String(step)))).toEqual([]);
    expect(plan.some((step) => String(step).startsWith('SEARCH'))).toBe(true);
  }
  connection.close();
});
