import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { spawnHandrail } from '../support/command.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { type FaultyGateway, makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

const folder = makeFolder();
let gateway: FaultyGateway;
afterEach(() => gateway.kill());
afterAll(() => folder.remove());

/** An API that answers at once, and at `/` of its second address only when it is let go. */
let api: TestServer;
let arrived: () => void;
let letGo: () => void;
let held: Promise<void>;
let asked: Promise<void>;
beforeAll(async () => {
  api = await serveHttp((request, response) => {
    if (request.url !== '/held/') return json(response, 200, { fine: true });
    arrived();
    void held.then(() => json(response, 200, {}));
  });
});
afterAll(() => api.close());

function holdNext(): void {
  asked = new Promise((resolve) => (arrived = resolve));
  held = new Promise((resolve) => (letGo = resolve));
}

const slugsOf = async () => {
  const { status, body } = await gateway.admin('GET', '/apis?limit=500');
  expect(status).toBe(200);
  return (body as { items: { slug: string }[] }).items.map(({ slug }) => slug);
};

const documentOf = (count: number) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Many', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `/p${i}`,
        { get: { operationId: `p${i}`, summary: `Part ${i}`, responses: {} } },
      ]),
    ),
  });

describe('kill -9', () => {
  test('while an API is being asked: lost is that call, for its caller and on record', async () => {
    const dataDir = join(folder.path, 'call');
    gateway = await startFaulty(dataDir);
    await gateway.register('kept', api.origin);
    await gateway.register('held', `${api.origin}/held`);
    expect(saidBy(await gateway.call('kept')).failed).toBe(false);
    await expect.poll(() => gateway.recorded('kept')).toBe(1);
    holdNext();
    const call = gateway.call('held').catch(() => 'lost');
    await asked;
    await gateway.kill();
    letGo();
    expect(await call).toBe('lost');
    gateway = await startFaulty(dataDir);
    expect(await slugsOf()).toEqual(expect.arrayContaining(['kept', 'held']));
    expect(await gateway.recorded('kept')).toBe(1);
    expect(await gateway.recorded('held')).toBe(0);
    expect(saidBy(await gateway.call('kept')).failed).toBe(false);
  });

  test('right after answers were sent: lost are at most the records of the last moment', async () => {
    const dataDir = join(folder.path, 'record');
    gateway = await startFaulty(dataDir);
    await gateway.register('kept', api.origin);
    for (let i = 0; i < 50; i++) await gateway.call('kept');
    await expect.poll(() => gateway.recorded('kept')).toBe(50);
    for (let i = 0; i < 5; i++) await gateway.call('kept');
    await gateway.kill();
    gateway = await startFaulty(dataDir);
    const left = await gateway.recorded('kept');
    expect(left).toBeGreaterThanOrEqual(50);
    expect(left).toBeLessThanOrEqual(55);
  });

  test.each([0, 1, 2, 3, 4])(
    'in the middle of an import (moment %i): all of it is there or nothing',
    async (moment) => {
      const dataDir = join(folder.path, `import-${moment}`);
      gateway = await startFaulty(dataDir);
      await gateway.register('kept', api.origin);
      const events = await fetch(`${gateway.url}/healthz`);
      await events.arrayBuffer();
      const done = gateway.admin('POST', '/imports', { text: documentOf(2_000), api: 'many' }).then(
        ({ status }) => status,
        () => 0,
      );
      // Each moment lets more of it happen: read, planned, compared, written, acknowledged.
      for (let i = 0; i < moment * 8; i++) await gateway.admin('GET', '/apis');
      if (moment === 4) await done;
      await gateway.kill();
      const status = await done;
      gateway = await startFaulty(dataDir);
      const slugs = await slugsOf();
      expect(slugs).toContain('kept');
      if (status === 200) expect(slugs).toContain('many');
      if (slugs.includes('many')) {
        const { body } = await gateway.admin('GET', '/apis/many');
        expect((body as { toolCount: number }).toolCount).toBe(2_000);
      }
    },
  );

  test('while the store is created: the next start does it', async () => {
    const dataDir = join(folder.path, 'create');
    for (const lines of [0, 1]) {
      const child = spawnHandrail(['serve', '--port', '0', '--json', '--no-demo', '--data-dir', dataDir]);
      const gone = once(child, 'close');
      if (lines === 0) await new Promise((resolve) => setImmediate(resolve));
      else await Promise.race([once(child.stdout!, 'data'), once(child.stderr!, 'data'), gone]);
      child.kill('SIGKILL');
      await gone;
    }
    gateway = await startFaulty(dataDir);
    await gateway.register('kept', api.origin);
    expect(await slugsOf()).toEqual(['kept']);
  });

  test('while it drains after SIGTERM: lost is what had no answer yet', async () => {
    const dataDir = join(folder.path, 'drain');
    gateway = await startFaulty(dataDir, ['--drain-ms', '600000']);
    await gateway.register('kept', api.origin);
    await gateway.register('held', `${api.origin}/held`);
    for (let i = 0; i < 10; i++) await gateway.call('kept');
    await expect.poll(() => gateway.recorded('kept')).toBe(10);
    holdNext();
    const call = gateway.call('held').catch(() => 'lost');
    await asked;
    gateway.child.kill('SIGTERM');
    await expect
      .poll(() =>
        fetch(`${gateway.url}/healthz`, { headers: { connection: 'close' } }).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    await gateway.kill();
    letGo();
    expect(await call).toBe('lost');
    gateway = await startFaulty(dataDir);
    expect(await gateway.recorded('kept')).toBe(10);
  });
});

test('SIGTERM in the middle of a call: nothing is lost', async () => {
  const dataDir = join(folder.path, 'term');
  gateway = await startFaulty(dataDir, ['--drain-ms', '600000']);
  await gateway.register('held', `${api.origin}/held`);
  holdNext();
  const call = gateway.call('held');
  await asked;
  const stopped = gateway.stop();
  letGo();
  expect(saidBy(await call).failed).toBe(false);
  expect(await stopped).toBe(0);
  gateway = await startFaulty(dataDir);
  expect(await gateway.recorded('held')).toBe(1);
});
