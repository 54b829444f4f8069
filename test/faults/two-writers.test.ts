import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFile } from '../../src/storage/sqlite/data-folder.ts';
import { openSqlite, sqliteErrorCode } from '../../src/storage/sqlite/driver.ts';
import { runHandrail } from '../support/command.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { serveFiles, sha256 } from '../support/servers/file-upstream.ts';
import { type FaultyGateway, makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

// A tenth of what `npm run soak -- faults` does.
const isLong = process.env['HANDRAIL_FAULTS'] === 'long';
const kills = isLong ? 300 : 30;
const stops = isLong ? 50 : 5;

const folder = makeFolder();
let made = 0;
let dataDir: string;
let upstream: Awaited<ReturnType<typeof serveFiles>>;
beforeAll(async () => {
  upstream = await serveFiles();
});
afterAll(async () => {
  await upstream.close();
  folder.remove();
});

/** What was acknowledged, and therefore must be there. */
let slugs: Set<string>;
/** APIs whose deletion was acknowledged. */
let deleted: Set<string>;
/** Addresses for uploads that took none yet, and the hashes of uploaded files by their handles. */
let places: Set<string>;
let files: Map<string, string>;
let calls: { sent: number; answered: number; mayBeLost: number };

/** What the writers share, and how they are started. */
interface Setup {
  readonly title: string;
  readonly args?: readonly string[];
  readonly isSqlite: boolean;
}
const setups: readonly Setup[] = [
  { title: 'one data folder', isSqlite: true },
  { title: 'one data folder, with two workers each', args: ['--workers', '2'], isSqlite: true },
  { title: 'one PostgreSQL database', isSqlite: false },
];
let setup: Setup;
let databaseUrl: string | null;

/** Those that write: each may be killed, and started again, while the others continue. */
let writers: (FaultyGateway | null)[];
const start = () =>
  startFaulty(
    dataDir,
    [
      '--handle-seconds',
      '7200',
      '--file-link-seconds',
      '7200',
      '--drain-ms',
      '20000',
      '--close-ms',
      '60000',
      ...(setup.args ?? []),
    ],
    databaseUrl === null
      ? {}
      : { DATABASE_URL: databaseUrl, HANDRAIL_SECRET_KEY: Buffer.alloc(32, 5).toString('base64') },
  );

async function begin(given: Setup): Promise<void> {
  setup = given;
  databaseUrl = setup.isSqlite ? null : await createDatabase();
  dataDir = join(folder.path, String(made++));
  [slugs, deleted, places, files] = [new Set(), new Set(), new Set(), new Map()];
  calls = { sent: 0, answered: 0, mayBeLost: 0 };
  const first = await start();
  await first.register('called', upstream.origin);
  const tool = {
    api: 'called',
    name: 'put_raw',
    description: 'Takes a file.',
    operation: {
      method: 'PUT',
      path: '/raw',
      parameters: [{ name: 'body', in: 'body', schema: { type: 'string' }, required: true }],
      body: { mediaType: 'application/octet-stream', shape: 'whole', binary: true },
    },
  };
  expect((await first.admin('POST', '/tools', tool)).status).toBe(201);
  writers = [first, await start()];
}
afterEach(async () => {
  for (const writer of writers) await writer?.kill();
});

const acknowledged = () => slugs.size + places.size + files.size;

async function upload(url: string): Promise<void> {
  const content = randomBytes(20_000);
  const answer = await fetch(url, { method: 'PUT', headers: { connection: 'close' }, body: content });
  const { handle } = (await answer.json()) as { handle: string };
  if (answer.status === 201) files.set(handle, sha256(content));
}

/** Does one thing after the other with a writer until it is told to stop; what was not acknowledged counts for nothing. */
async function use(
  writer: FaultyGateway,
  name: string,
  isOver: () => boolean,
  answeredAtMs: number[] = [],
): Promise<void> {
  const once = {
    async register(n: number) {
      const slug = `${name}-${n}`;
      const { status } = await writer.admin('POST', '/apis', { slug, baseUrl: 'https://api.example.com' });
      if (status === 201 && n % 3 !== 2) slugs.add(slug);
      else if (status === 201 && (await writer.admin('DELETE', `/apis/${slug}`)).status === 204)
        deleted.add(slug);
    },
    async upload(n: number) {
      const { failed, text } = saidBy(await writer.call('request_upload'));
      if (failed) return;
      const url = /https?:\/\/\S+/.exec(text)![0];
      if (n % 3 === 0) places.add(new URL(url).pathname);
      else await upload(url);
    },
    async call() {
      calls.sent++;
      await writer.call('called');
      calls.answered++;
      answeredAtMs.push(performance.now());
    },
  };
  const loop = async (act: (n: number) => Promise<void>) => {
    try {
      for (let n = 0; !isOver(); n++) await act(n);
    } catch (error) {
      // Killed, or it stopped listening.
      if (
        !(error instanceof TypeError && error.message === 'fetch failed') &&
        !(error instanceof SyntaxError)
      )
        throw error;
    }
  };
  await Promise.all([once.register, once.upload, once.call, once.call].map(loop));
}

/** Another process, as far as SQLite can tell: takes the write lock now and then, and keeps it for up to a second. */
async function lockNowAndThen(isOver: () => boolean): Promise<void> {
  if (!setup.isSqlite) return;
  const connection = openSqlite(databaseFile(dataDir));
  while (!isOver()) {
    try {
      connection.exec('begin immediate');
      await sleep(Math.random() < 0.2 ? 1_000 : Math.random() * 100);
      connection.exec('rollback');
      await sleep(Math.random() * 500);
    } catch (error) {
      if (!sqliteErrorCode(error)?.startsWith('SQLITE_BUSY')) throw error;
      await sleep(3);
    }
  }
  connection.close();
}

/** Commands that open the store while others write to it. */
async function runCommands(): Promise<void> {
  if (!setup.isSqlite) return;
  for (const command of [
    ['calls', '--limit', '1'],
    ['backup', join(folder.path, `backup-${made++}`)],
  ]) {
    const { code, stderr } = await runHandrail([...command, '--data-dir', dataDir]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  }
}

/** Everything that was acknowledged is there. */
async function expectAll(gateway: FaultyGateway): Promise<void> {
  const there = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await gateway.admin('GET', `/apis?limit=500${cursor}`);
    for (const { slug } of body.items as { slug: string }[]) there.add(slug);
    cursor = body.nextCursor === null ? null : `&cursor=${body.nextCursor as string}`;
  }
  expect([...slugs].filter((slug) => !there.has(slug))).toEqual([]);
  expect([...deleted].filter((slug) => there.has(slug))).toEqual([]);
  for (const path of places) {
    const before = files.size;
    await upload(`${gateway.url}${path}`);
    expect(files.size, path).toBe(before + 1);
  }
  for (const [handle, hash] of files) {
    const { failed, text } = saidBy(await gateway.call('put_raw', { body: handle }));
    expect([failed, text]).toEqual([false, expect.any(String)]);
    expect(upstream.sent.at(-1)!.sha256).toBe(hash);
  }
}

/** Calls on record: at least those that were answered, except for some of the last before a kill. */
async function expectRecords(gateway: FaultyGateway): Promise<void> {
  const { body } = await gateway.admin('GET', '/calls?tool=called&limit=1');
  expect(body.total).toBeGreaterThanOrEqual(Math.min(calls.answered - calls.mayBeLost, countLimit));
  expect(body.total).toBeLessThanOrEqual(calls.sent);
}

// The API counts no further.
const countLimit = 10_000;
// A batch is 50 ms, and waits for as long as another process keeps the lock.
const unwrittenMs = 2_500;

describe.each(setups)('two processes that write to $title, while others lock it', (given) => {
  beforeEach(() => begin(given));

  test(`keep what they acknowledged through ${kills} kill -9`, { timeout: 3_600_000 }, async () => {
    let left = kills;
    const isOver = () => left <= 0;
    const killAgainAndAgain = async (at: number) => {
      while (!isOver()) {
        const writer = (writers[at] ??= await start());
        let isDead = false;
        const answeredAtMs: number[] = [];
        const used = use(writer, `w${at}-${left}`, () => isDead, answeredAtMs);
        const before = acknowledged();
        await expect.poll(acknowledged, { interval: 20 }).toBeGreaterThan(before);
        await sleep(Math.random() * 400);
        left--;
        isDead = true;
        const killedAtMs = performance.now();
        await writer.kill();
        writers[at] = null;
        await used;
        calls.mayBeLost += answeredAtMs.filter((atMs) => killedAtMs - atMs < unwrittenMs).length;
      }
    };
    await Promise.all([killAgainAndAgain(0), killAgainAndAgain(1), lockNowAndThen(isOver), runCommands()]);
    const gateway = (writers[0] = await start());
    await expectRecords(gateway);
    await expectAll(gateway);
  });

  test(`lose nothing through ${stops} times SIGTERM`, { timeout: 3_600_000 }, async () => {
    const commands = runCommands();
    for (let stop = 0; stop < stops; stop++) {
      let isOver = false;
      const running = await Promise.all(writers.map(async (writer) => writer ?? start()));
      writers = running;
      const used = running.map((writer, at) => use(writer, `s${at}-${stop}`, () => isOver));
      const locking = lockNowAndThen(() => isOver);
      const before = acknowledged();
      await expect.poll(acknowledged, { interval: 20 }).toBeGreaterThan(before + 10);
      await sleep(Math.random() * 400);
      const codes = await Promise.all(running.map((writer) => writer.stop()));
      isOver = true;
      writers = [null, null];
      await Promise.all([...used, locking]);
      expect(codes).toEqual([0, 0]);
    }
    await commands;
    const gateway = (writers[0] = await start());
    await expectRecords(gateway);
    await expectAll(gateway);
  });
});
