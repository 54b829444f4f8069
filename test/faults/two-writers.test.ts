import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFile } from '../../src/storage/sqlite/data-folder.ts';
import { openSqlite, sqliteErrorCode } from '../../src/storage/sqlite/driver.ts';
import { runHandrail } from '../support/command.ts';
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
let calls: { sent: number; answered: number };

/** Those that write: each may be killed, and started again, while the others go on. */
let writers: (FaultyGateway | null)[];
const start = () => startFaulty(dataDir, ['--handle-seconds', '7200', '--drain-ms', '20000']);

beforeEach(async () => {
  dataDir = join(folder.path, String(made++));
  [slugs, deleted, places, files] = [new Set(), new Set(), new Set(), new Map()];
  calls = { sent: 0, answered: 0 };
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
});
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
async function use(writer: FaultyGateway, name: string, isOver: () => boolean): Promise<void> {
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

describe('two processes that write to one data folder, while others lock it', () => {
  test(`keep what they acknowledged through ${kills} kill -9`, { timeout: 3_600_000 }, async () => {
    let left = kills;
    const isOver = () => left <= 0;
    const killAgainAndAgain = async (at: number) => {
      while (!isOver()) {
        const writer = (writers[at] ??= await start());
        let isDead = false;
        const used = use(writer, `w${at}-${left}`, () => isDead);
        const before = acknowledged();
        await expect.poll(acknowledged, { interval: 20 }).toBeGreaterThan(before);
        await sleep(Math.random() * 400);
        left--;
        isDead = true;
        await writer.kill();
        writers[at] = null;
        await used;
      }
    };
    await Promise.all([killAgainAndAgain(0), killAgainAndAgain(1), lockNowAndThen(isOver), runCommands()]);
    const gateway = (writers[0] = await start());
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
    const { body } = await gateway.admin('GET', '/calls?tool=called&limit=1');
    expect(body.total).toBeGreaterThanOrEqual(calls.answered);
    expect(body.total).toBeLessThanOrEqual(calls.sent);
    await expectAll(gateway);
  });
});
