import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../../src/storage/open-store.ts';
import { databaseFile } from '../../../src/storage/sqlite/data-folder.ts';
import { openSqlite } from '../../../src/storage/sqlite/driver.ts';
import { callRecord } from '../../support/call-record.ts';
import { runHandrail, serveHandrail, type ServingProcess } from '../../support/command.ts';
import { adminToken } from '../../support/gateway.ts';
import { writeCalls } from '../../support/write-calls.ts';

// A store that a newer version worked on: two segments have a layout that this one does not know.
const root = mkdtempSync(join(tmpdir(), 'handrail-newer-'));
const dataDir = join(root, 'data');
const all = 90;
let newer = 0;
let serving: ServingProcess;

beforeAll(async () => {
  const store = await openStore({ dataDir });
  const startMs = Date.now() - 60_000;
  const records = Array.from({ length: all }, (_, n) => callRecord(n, { startedAtMs: startMs + n }));
  for (let n = 0; n < all; n += 10) await writeCalls(store.calls, records.slice(n, n + 10));
  await store.close();
  const connection = openSqlite(databaseFile(dataDir));
  connection.exec(
    'update call_segments set layout = 7 where seq in (select seq from call_segments order by records desc limit 2)',
  );
  const [row] = connection.run('select sum(records) as records from call_segments where layout = 7', []).rows;
  newer = (row as { records: number }).records;
  connection.close();
  serving = await serveHandrail(['--data-dir', dataDir], { HANDRAIL_ADMIN_TOKEN: adminToken });
});
afterAll(async () => {
  serving.child.kill('SIGTERM');
  await serving.exited;
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

const ask = async (path: string) =>
  (await fetch(`${serving.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })).text();

it('shows and exports the others', async () => {
  const page = JSON.parse(await ask('/api/v1/calls?limit=500')) as { items: unknown[]; total: number };
  expect(newer).toBeGreaterThan(0);
  expect(page.items).toHaveLength(all - newer);
  expect(page.total).toBe(all - newer);
  expect((await ask('/api/v1/calls/export?format=ndjson')).trim().split('\n')).toHaveLength(all - newer);
});

it('says how many are left out: in metrics, in the log and to the doctor', async () => {
  expect(await ask('/metrics')).toContain(`handrail_call_records_unreadable{why="newer"} ${newer}\n`);
  const told = () =>
    serving
      .stderr()
      .split('\n')
      .filter((line) => line.includes('newer version'));
  await expect.poll(told).toEqual([expect.stringContaining(`"records":${newer}`)]);
  const doctor = await runHandrail(['doctor', '--port', '0', '--data-dir', dataDir]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(`FAIL call records: ${newer} were written by a newer version`);
});

it('leaves them where they are when old records are purged', async () => {
  const purged = await fetch(`${serving.url}/api/v1/calls/purge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ before: '2030-01-01T00:00:00Z' }),
  });
  expect(await purged.json()).toEqual({ deleted: all - newer });
  expect(await ask('/metrics')).toContain(`handrail_call_records_unreadable{why="newer"} ${newer}\n`);
});
