import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ServingProcess } from '../support/command.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { callTool, change, end, startInstance } from './instances.ts';
import { ask } from './workers.ts';

// In CI the beginning of a minute, in which all of it passes; in the soak five whole ones.
const wholeMinutes = Number(process.env['HANDRAIL_MINUTES'] ?? 0);
const minutes = Math.max(1, wholeMinutes);
const minuteMs = 60_000;
const perMinute = 60;

let api: TestServer;
let instances: ServingProcess[] = [];
/** When the API was called, since the first call. */
const calledAtMs: number[] = [];
let running = 0;
let maxAtOnce = 0;
/** How often the API was asked for what it fails at. */
let failed = 0;

beforeAll(async () => {
  let firstAtMs = 0;
  api = await serveHttp((request, response) => {
    if (request.url === '/failing') {
      failed++;
      json(response, 500, {});
      return;
    }
    if (request.url === '/slow') {
      maxAtOnce = Math.max(maxAtOnce, ++running);
      setTimeout(() => {
        running--;
        json(response, 200, {});
      }, 50);
      return;
    }
    firstAtMs ||= Date.now();
    calledAtMs.push(Date.now() - firstAtMs);
    json(response, 200, {});
  });
  const databaseUrl = await createDatabase();
  const args = ['--workers', '2', '--egress-allow', new URL(api.origin).host];
  for (let i = 0; i < 3; i++) instances.push(await startInstance(databaseUrl, args));
  const [first] = instances;
  await change(first!.url, '/apis', {
    slug: 'limited',
    baseUrl: api.origin,
    limits: { ratePerMinute: perMinute },
  });
  await change(first!.url, '/apis', {
    slug: 'narrow',
    baseUrl: api.origin,
    limits: { maxConcurrent: 4, maxQueued: 1_000 },
  });
  await change(first!.url, '/apis', {
    slug: 'failing',
    baseUrl: api.origin,
    limits: { breakerFailures: 3, breakerOpenMs: 600_000 },
  });
  for (const [name, slug] of [
    ['failing', 'failing'],
    ['quick', 'limited'],
    ['slow', 'narrow'],
  ])
    await change(first!.url, '/tools', {
      api: slug,
      name,
      description: name,
      operation: { method: 'GET', path: `/${name}` },
    });
});
afterAll(async () => {
  await Promise.all(instances.map(end));
  await api.close();
});

const everyProcessIsKnown = async () => {
  for (const { url } of instances)
    await expect
      .poll(async () => (await ask(url, 'GET', '/metrics')).text)
      .toContain('handrail_budget_processes 6');
};

it('lets through what a limit says, not that times the number of processes', async () => {
  await everyProcessIsKnown();
  const failures: string[] = [];
  const beganAtMs = Date.now();
  const callers = instances.flatMap(({ url }) =>
    Array.from({ length: 2 }, async () => {
      // A moment longer than the last minute that is looked at.
      while (Date.now() - beganAtMs < wholeMinutes * minuteMs + 15_000) {
        const failure = await callTool(url, 'quick', {}, { connection: 'close' });
        if (failure !== null && !failure.includes('limit of 60 calls per minute')) failures.push(failure);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }),
  );
  await Promise.all(callers);
  expect(failures).toEqual([]);
  const passed = Array.from(
    { length: minutes },
    (_, minute) => calledAtMs.filter((atMs) => Math.floor(atMs / minuteMs) === minute).length,
  );
  console.log(`passed in each minute: ${passed.join(', ')}`);
  for (const calls of passed) {
    expect(calls).toBeGreaterThanOrEqual(perMinute);
    expect(calls).toBeLessThanOrEqual(perMinute * 1.1);
  }
});

it('runs as many calls at once as a limit says, all processes together', async () => {
  await everyProcessIsKnown();
  const failures = await Promise.all(
    instances.flatMap(({ url }) =>
      Array.from({ length: 20 }, () => callTool(url, 'slow', {}, { connection: 'close' })),
    ),
  );
  expect(failures.filter((failure) => failure !== null)).toEqual([]);
  expect(maxAtOnce).toBe(4);
});

it('opens the circuit of an API everywhere when it failed in one process', async () => {
  await everyProcessIsKnown();
  const [{ url: first }] = instances as [ServingProcess];
  const call = (url: string) => callTool(url, 'failing', {}, { connection: 'close' });
  await vi.waitFor(async () => expect(await call(first)).toContain('in a row'), { timeout: 30_000 });
  // What one process knows the others are told; each of them is asked several times, by connections of their own.
  await vi.waitFor(
    async () => {
      const before = failed;
      for (const { url } of instances)
        for (let i = 0; i < 4; i++) expect(await call(url)).toContain('in a row');
      expect(failed).toBe(before);
    },
    { timeout: 30_000 },
  );
  // Three failures open the circuit of one process: without hints it would have taken each of the six as many.
  expect(failed).toBeLessThan(6 * 3);
});
