import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../support/postgres/postgres.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { type FaultyGateway, makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

// As long as an outage lasts under `npm run soak -- faults`; in CI as long as it takes to be noticed.
const outageMs = process.env['HANDRAIL_FAULTS'] === 'long' ? 30_000 : 2_000;
const masterKey = Buffer.alloc(32, 3).toString('base64');

/** What stands between a gateway and its database, and can be taken away. */
async function startLine(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let state: 'up' | 'refuses' | 'hangs' = 'up';
  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => {}).on('close', () => open.delete(near));
    if (state === 'refuses') near.destroy();
    if (state !== 'up') return;
    const far = connect(Number(target.port), target.hostname);
    open.add(far);
    far
      .on('error', () => near.destroy())
      .on('close', () => {
        open.delete(far);
        near.destroy();
      });
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Ends what is open; new connections are refused, or taken and left alone. */
    cut(how: 'refuses' | 'hangs'): void {
      state = how;
      for (const socket of open) socket.destroy();
    },
    mend(): void {
      state = 'up';
      for (const socket of open) socket.destroy();
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const folder = makeFolder();
let api: TestServer;
let line: Awaited<ReturnType<typeof startLine>>;
let gateway: FaultyGateway;
beforeAll(async () => {
  api = await serveHttp((_request, response) => json(response, 200, { fine: true }));
});
afterEach(async () => {
  await gateway.kill();
  await line.close();
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

describe('a database that is gone and comes back', () => {
  test.each(['refuses', 'hangs'] as const)(
    'because it %s: calls go on, changes are refused, and no record and no change is lost',
    async (how) => {
      line = await startLine(await createDatabase());
      gateway = await startFaulty(folder.path, [], {
        DATABASE_URL: line.url,
        HANDRAIL_SECRET_KEY: masterKey,
      });
      await gateway.register('kept', api.origin);
      for (let i = 0; i < 10; i++) await gateway.call('kept');
      line.cut(how);
      const until = Date.now() + outageMs;
      let calls = 10;
      do {
        expect(saidBy(await gateway.call('kept'))).toEqual({ failed: false, text: '{"fine":true}' });
        calls++;
      } while (Date.now() < until && calls < 400);
      if (how === 'refuses') {
        const told = await gateway.admin('POST', '/apis', {
          slug: 'lost',
          baseUrl: 'https://api.example.com',
        });
        expect(told.status).toBe(503);
        expect(JSON.stringify(told.body)).not.toMatch(/ECONN|only-for-tests|\bat \w+ \(/);
      }
      expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
      line.mend();
      await expect
        .poll(
          async () =>
            (await gateway.admin('POST', '/apis', { slug: 'after', baseUrl: 'https://api.example.com' }))
              .status,
        )
        .toBeOneOf([201, 409]);
      // Lost: nothing. Every call that was answered is on record.
      await expect.poll(() => gateway.recorded('kept')).toBe(calls);
      const { body } = await gateway.admin('GET', '/apis?limit=500');
      expect((body as { items: { slug: string }[] }).items.map(({ slug }) => slug)).toEqual(
        expect.arrayContaining(['kept', 'after']),
      );
    },
  );

  test('while the gateway stops: it keeps trying, and no record is lost', async () => {
    const databaseUrl = await createDatabase();
    line = await startLine(databaseUrl);
    const settings = { HANDRAIL_SECRET_KEY: masterKey, HANDRAIL_CLOSE_MS: '60000' };
    gateway = await startFaulty(folder.path, [], { ...settings, DATABASE_URL: line.url });
    await gateway.register('kept', api.origin);
    line.cut('refuses');
    for (let i = 0; i < 20; i++) await gateway.call('kept');
    const exited = gateway.stop();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    line.mend();
    expect(await exited).toBe(0);
    gateway = await startFaulty(folder.path, [], { ...settings, DATABASE_URL: databaseUrl });
    expect(await gateway.recorded('kept')).toBe(20);
  });

  test('before the start: the program says so and ends', async () => {
    line = await startLine(await createDatabase());
    line.cut('refuses');
    const said = await startFaulty(folder.path, [], {
      DATABASE_URL: line.url,
      HANDRAIL_SECRET_KEY: masterKey,
    }).then(
      (started) => {
        gateway = started;
        return 'it started';
      },
      (error: Error) => error.message,
    );
    expect(said).toMatch(/database|PostgreSQL/i);
    expect(said).not.toContain('only-for-tests');
  });
});
