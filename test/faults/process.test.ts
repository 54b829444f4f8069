import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runHandrail, spawnHandrail } from '../support/command.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { type FaultyGateway, makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

const folder = makeFolder();
let gateway: FaultyGateway | null = null;
let api: TestServer;
beforeAll(async () => {
  api = await serveHttp((_request, response) => json(response, 200, { fine: true }));
});
afterEach(async () => {
  await gateway?.kill();
  gateway = null;
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

const loaded = (file: string) => `--import ${new URL(file, import.meta.url).href}`;

test('a port that is taken: the program says so and ends, and whoever has it keeps it', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, stdout, stderr } = await runHandrail([
    'serve',
    '--port',
    String(port),
    '--no-demo',
    '--data-dir',
    join(folder.path, 'taken'),
  ]);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(new RegExp(String(port)));
  expect(stdout + stderr).not.toMatch(/\n\s+at .+\(/);
  expect(taken.listening).toBe(true);
  await new Promise((resolve) => taken.close(resolve));
});

test('SIGHUP to a process without workers: it writes what waits and ends in good order', async () => {
  const dataDir = join(folder.path, 'hangup');
  gateway = await startFaulty(dataDir);
  await gateway.register('kept', api.origin);
  for (let i = 0; i < 5; i++) expect(saidBy(await gateway.call('kept')).failed).toBe(false);
  expect(await gateway.stop('SIGHUP')).toBe(0);
  gateway = await startFaulty(dataDir);
  expect(await gateway.recorded('kept')).toBe(5);
});

test.skipIf(process.platform !== 'linux')(
  'a log that cannot be written: calls go on, and it ends in good order',
  async () => {
    const dataDir = join(folder.path, 'no-log');
    const args = ['dist/main.js', 'serve', '--port', '0', '--json', '--demo', '--data-dir', dataDir];
    const child = spawn('sh', ['-c', 'exec "$@" 2>/dev/full', 'sh', process.execPath, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(said.toString()) as { url: string };
    expect((await fetch(`${url}/livez`, { headers: { connection: 'close' } })).status).toBe(200);
    // It says that it is stopping, which is what cannot be written.
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  },
);

test('SIGTERM while it waits for its database at the start: it ends, and says by its code that it was asked to', async () => {
  // Takes connections and says nothing.
  const silent = createServer();
  const reached = new Promise<void>((resolve) => silent.once('connection', () => resolve()));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const child = spawnHandrail(['serve', '--port', '0'], {
    DATABASE_URL: `postgres://handrail@127.0.0.1:${port}/handrail`,
    HANDRAIL_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  });
  const exited = new Promise<unknown>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  await reached;
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
  silent.close();
});

describe.each([
  ['a day ahead', 86_400_000],
  ['a day back', -86_400_000],
  ['ten years ahead', 315_360_000_000],
])('a clock that jumps %s', (_what, jumpMs) => {
  test('costs no call, no record and no change', async () => {
    const dataDir = join(folder.path, `clock${jumpMs}`);
    gateway = await startFaulty(dataDir, [], {
      NODE_OPTIONS: loaded('./skewed-clock.mjs'),
      HANDRAIL_TEST_JUMP_MS: String(jumpMs),
    });
    await gateway.register('kept', api.origin);
    for (let i = 0; i < 5; i++) expect(saidBy(await gateway.call('kept')).failed).toBe(false);
    gateway.child.kill('SIGWINCH');
    for (let i = 0; i < 5; i++) expect(saidBy(await gateway.call('kept')).failed).toBe(false);
    expect(
      (await gateway.admin('POST', '/apis', { slug: 'after', baseUrl: 'https://api.example.com' })).status,
    ).toBe(201);
    expect(await gateway.stop()).toBe(0);
    gateway = await startFaulty(dataDir, ['--retention-days', '0']);
    expect((await gateway.admin('GET', '/apis/after')).status).toBe(200);
    await expect.poll(() => gateway!.recorded('kept')).toBe(10);
  });
});

test('a name that has another address when it is connected to: nobody is connected to who was not allowed', async () => {
  gateway = await startFaulty(join(folder.path, 'names'), ['--egress-allow', '192.0.2.1'], {
    NODE_OPTIONS: loaded('./changing-names.mjs'),
  });
  const before = api.seen;
  await gateway.register('changing', `http://changing.test:${api.port}`, {
    totalTimeoutMs: 2_000,
    retries: 0,
  });
  for (let i = 0; i < 3; i++) expect(saidBy(await gateway.call('changing')).failed).toBe(true);
  expect(saidBy(await gateway.call('changing')).text).toMatch(
    /may not connect|not allowed|private|this machine/i,
  );
  expect(api.seen).toBe(before);
});

const hasPrlimit =
  process.platform === 'linux' && spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status === 0;

/** Opens connections and waits until each is open or was refused. */
async function openMany(url: string, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}),
  );
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  return sockets;
}

async function answersAgain(): Promise<void> {
  await expect
    .poll(() =>
      gateway!.call('kept').then(
        (told) => saidBy(told).failed,
        () => true,
      ),
    )
    .toBe(false);
}

test('more clients than it may have: they are refused at once, and afterwards it answers as before', async () => {
  gateway = await startFaulty(join(folder.path, 'clients'), ['--max-connections', '40']);
  await gateway.register('kept', api.origin);
  const sockets = await openMany(gateway.url, 200);
  await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(150);
  for (const socket of sockets) socket.destroy();
  await answersAgain();
});

test.skipIf(!hasPrlimit)(
  'no descriptor left: the process lives, and with descriptors again it answers as before',
  async () => {
    gateway = await startFaulty(join(folder.path, 'descriptors'));
    await gateway.register('kept', api.origin);
    const inUse = readdirSync(`/proc/${gateway.child.pid}/fd`).length;
    execFileSync('prlimit', ['--pid', String(gateway.child.pid), `--nofile=${inUse + 8}:${inUse + 8}`]);
    const sockets = await openMany(gateway.url, 100);
    expect(gateway.child.exitCode).toBe(null);
    for (const socket of sockets) socket.destroy();
    await answersAgain();
    expect(
      (await gateway.admin('POST', '/apis', { slug: 'after', baseUrl: 'https://api.example.com' })).status,
    ).toBe(201);
  },
);
