import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { type FaultyGateway, makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

let api: TestServer;
beforeAll(async () => {
  api = await serveHttp((_request, response) => json(response, 200, { fine: true }));
});
afterAll(() => api.close());

const folder = makeFolder();
let running: FaultyGateway | null = null;
afterEach(async () => {
  await running?.kill();
  running = null;
});
afterAll(() => folder.remove());

let made = 0;
/** A data folder of a gateway that was stopped in peace, with one API, one tool and some calls. */
async function filledFolder(): Promise<string> {
  const dataDir = join(folder.path, `data-${made++}`);
  running = await startFaulty(dataDir);
  await running.register('kept', api.origin);
  for (let i = 0; i < 20; i++) expect(saidBy(await running.call('kept')).failed).toBe(false);
  expect(await running.stop()).toBe(0);
  running = null;
  return dataDir;
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const open = openSync(file, 'r+');
  writeSync(open, bytes, 0, bytes.length, at);
  closeSync(open);
}

function cutTo(file: string, share: number): void {
  const open = openSync(file, 'r+');
  ftruncateSync(open, Math.floor(statSync(file).size * share));
  closeSync(open);
}

const database = (dataDir: string) => join(dataDir, 'handrail.db');
const noise = Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919) % 251));

/** What is done to a folder, and what the program says when it is started on it; nothing where it starts. */
const damages: Readonly<Record<string, { break: (dataDir: string) => void; says: RegExp }>> = {
  'a database whose first bytes are noise': {
    break: (dataDir) => overwrite(database(dataDir), 0, noise.subarray(0, 100)),
    says: /not a Handrail store, or it is damaged/,
  },
  'a database that is noise from end to end': {
    break: (dataDir) =>
      writeFileSync(database(dataDir), Buffer.concat(Array.from({ length: 40 }, () => noise))),
    says: /not a Handrail store, or it is damaged/,
  },
  'a database with noise in its first page': {
    break: (dataDir) => overwrite(database(dataDir), 100, noise.subarray(0, 3_000)),
    says: /is damaged/,
  },
  'a database of which half is left': {
    break: (dataDir) => cutTo(database(dataDir), 0.5),
    says: /is damaged/,
  },
  'a folder where the database was': {
    break: (dataDir) => {
      rmSync(database(dataDir));
      mkdirSync(database(dataDir));
    },
    says: /cannot be opened/,
  },
  'a master key that is another one': {
    break: (dataDir) =>
      writeFileSync(join(dataDir, 'secret.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    says: /key/i,
  },
  'a master key that is none': {
    break: (dataDir) => writeFileSync(join(dataDir, 'secret.key'), 'nonsense'),
    says: /key/i,
  },
};

describe('a data folder that broke while nobody looked', () => {
  test.each(Object.entries(damages))(
    '%s: what is served is whole, or the program says what to do',
    async (_what, damage) => {
      const dataDir = await filledFolder();
      const whole = join(folder.path, `whole-${made}`);
      cpSync(dataDir, whole, { recursive: true });
      damage.break(dataDir);
      const started = await startFaulty(dataDir).catch((error: Error) => error.message);
      if (typeof started === 'string') {
        expect(started).toMatch(damage.says);
        expect(started).not.toMatch(/\n\s+at .+\(/);
      } else {
        running = started;
        // It goes on where it can; then all of the registry is there.
        expect(saidBy(await running.call('kept'))).toEqual({ failed: false, text: '{"fine":true}' });
        await running.kill();
        running = null;
      }
      // Lost: nothing that a backup has.
      running = await startFaulty(whole);
      expect(saidBy(await running.call('kept'))).toEqual({ failed: false, text: '{"fine":true}' });
      expect(await running.recorded('kept')).toBeGreaterThanOrEqual(20);
    },
  );

  test('a write-ahead log that is noise: lost is what was not yet in the database', async () => {
    const dataDir = join(folder.path, 'log');
    running = await startFaulty(dataDir);
    await running.register('kept', api.origin);
    await running.kill();
    writeFileSync(`${database(dataDir)}-wal`, noise);
    rmSync(`${database(dataDir)}-shm`, { force: true });
    running = await startFaulty(dataDir);
    expect((await running.admin('GET', '/apis')).status).toBe(200);
  });

  test('files that belong to nobody: nothing is lost', async () => {
    const dataDir = await filledFolder();
    for (const name of ['core', 'handrail.db.bak', '.nfs0001', 'calls']) {
      const path = join(dataDir, name);
      if (!existsSync(path)) writeFileSync(path, noise);
    }
    running = await startFaulty(dataDir);
    expect(saidBy(await running.call('kept')).failed).toBe(false);
    expect(await running.recorded('kept')).toBeGreaterThanOrEqual(20);
  });
});

// Only root can mount; elsewhere these two are told as left out.
const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const mounts: string[] = [];
function mountSmall(megabytes: number): string {
  const path = join(folder.path, `disk-${made++}`);
  mkdirSync(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'handrail-faults', path]);
  mounts.push(path);
  return path;
}
const canMount =
  isRoot &&
  ((): boolean => {
    try {
      execFileSync('umount', [mountSmall(1)], { stdio: 'ignore' });
      mounts.pop();
      return true;
    } catch {
      return false;
    }
  })();
afterAll(() => {
  for (const path of mounts) execFileSync('umount', ['-l', path]);
});

describe.skipIf(!canMount)('a disk', () => {
  test('that is full: calls go on, changes are refused with the reason, and with room again nothing acknowledged is gone', async () => {
    const disk = mountSmall(16);
    const dataDir = join(disk, 'data');
    running = await startFaulty(dataDir);
    await running.register('kept', api.origin);
    const acknowledged: string[] = [];
    const filler = join(disk, 'filler');
    const open = openSync(filler, 'w');
    try {
      for (;;) writeSync(open, Buffer.alloc(65_536));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
    closeSync(open);
    let refused: { status: number; body: { detail?: string; title?: string } } | null = null;
    for (let i = 0; i < 200 && refused === null; i++) {
      const told = await running.admin('POST', '/apis', {
        slug: `full-${i}`,
        baseUrl: 'https://api.example.com',
        description: 'x'.repeat(5_000),
      });
      if (told.status === 201) acknowledged.push(`full-${i}`);
      else refused = told;
    }
    expect(refused?.status).toBe(503);
    expect(JSON.stringify(refused?.body)).toMatch(/full/);
    // Calls need no disk.
    for (let i = 0; i < 30; i++) expect(saidBy(await running.call('kept')).failed).toBe(false);
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    rmSync(filler);
    await expect
      .poll(
        async () =>
          (await running!.admin('POST', '/apis', { slug: 'after', baseUrl: 'https://api.example.com' }))
            .status,
      )
      .toBe(201);
    // The records that had to wait are written.
    await expect.poll(() => running!.recorded('kept')).toBe(30);
    await running.kill();
    running = await startFaulty(dataDir);
    const { body } = await running.admin('GET', '/apis?limit=500');
    const slugs = (body as { items: { slug: string }[] }).items.map(({ slug }) => slug);
    expect(slugs).toEqual(expect.arrayContaining([...acknowledged, 'kept', 'after']));
  });

  test.each([0, 8_192, 65_536])(
    'that has %i bytes left at the start: the program serves, or says why not and ends',
    async (left) => {
      const disk = mountSmall(16);
      const dataDir = join(disk, 'data');
      running = await startFaulty(dataDir);
      await running.register('kept', api.origin);
      expect(await running.stop()).toBe(0);
      running = null;
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - left));
      const said = await startFaulty(dataDir).then(
        (started) => {
          running = started;
          return null;
        },
        (error: Error) => error.message,
      );
      if (running === null) expect(said).toMatch(/ended with 3: .*is full/);
      else expect(saidBy(await (running as FaultyGateway).call('kept')).failed).toBe(false);
    },
  );

  test('that is read-only: the program says so and does not start', async () => {
    const disk = mountSmall(4);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const said = await startFaulty(join(disk, 'data')).then(
      (started) => {
        running = started;
        return 'it started';
      },
      (error: Error) => error.message,
    );
    expect(said).toMatch(/read-only/);
    expect(readdirSync(disk)).toEqual([]);
  });
});

test.skipIf(isRoot)('a folder that may not be written: the program says so and does not start', async () => {
  const locked = join(folder.path, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  await expect(startFaulty(join(locked, 'data'))).rejects.toThrow(/permission is denied/);
  chmodSync(locked, 0o700);
});
