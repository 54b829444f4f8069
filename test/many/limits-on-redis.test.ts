import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRedisConnection } from '../../src/budgets/redis/redis-connection.ts';
import { runHandrail, serveHandrail, type ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { callTool, change, end, startInstance } from './instances.ts';
import { type RedisServer, startRedis } from './redis.ts';
import { ask } from './workers.ts';

const password = 'of-the/Redis 1';
const perMinute = 60;
const maxAtOnce = 4;
const close = { connection: 'close' };
const away = 'shared limits cannot be asked for';

let redis: RedisServer;
let api: TestServer;
/** What the API saw. */
const seen = { limited: 0, running: 0, most: 0 };

beforeAll(async () => {
  redis = await startRedis(['--requirepass', password], ['-a', password, '--no-auth-warning']);
  api = await serveHttp((request, response) => {
    if (request.url === '/limited') seen.limited++;
    if (request.url !== '/narrow') return json(response, 200, {});
    seen.most = Math.max(seen.most, ++seen.running);
    setTimeout(() => {
      seen.running--;
      json(response, 200, {});
    }, 50);
    return undefined;
  });
});
afterAll(async () => {
  await api.close();
  await redis.close();
});

const budgetsUrl = () => `redis://:${encodeURIComponent(password)}@127.0.0.1:${redis.port}`;

async function addTools(url: string): Promise<void> {
  for (const [name, limits] of [
    ['limited', { ratePerMinute: perMinute }],
    ['narrow', { maxConcurrent: maxAtOnce, maxQueued: 1_000 }],
    ['wide', { ratePerMinute: 1_000_000, maxConcurrent: 100, maxQueued: 1_000 }],
  ] as const) {
    await change(url, '/apis', { slug: name, baseUrl: api.origin, limits });
    await change(url, '/tools', {
      api: name,
      name,
      description: name,
      operation: { method: 'GET', path: `/${name}` },
    });
  }
}

const metric = async (url: string, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await ask(url, 'GET', '/metrics')).text)?.[1]);

/** Calls all of them from several clients until told to stop; tells what went wrong. */
function callOn(
  urls: readonly string[],
  tool: string,
  isRefusal: (failure: string) => boolean = () => false,
) {
  const failures: string[] = [];
  const state = { isOver: false, calls: 0 };
  const callers = urls.flatMap((url) =>
    Array.from({ length: 2 }, async () => {
      while (!state.isOver) {
        const failure = await callTool(url, tool, {}, close);
        state.calls++;
        if (failure !== null && !isRefusal(failure)) failures.push(failure);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }),
  );
  return {
    calls: () => state.calls,
    async stop() {
      state.isOver = true;
      await Promise.all(callers);
      return failures;
    },
  };
}

const isLimit = (failure: string) => failure.includes('limit of 60 calls per minute');
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['three instances on PostgreSQL', 'two workers on SQLite'] as const)('%s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-on-redis-'));
  const processes = kind === 'two workers on SQLite' ? 2 : 3;
  let gateways: ServingProcess[] = [];
  let urls: string[] = [];

  beforeAll(async () => {
    const env = { HANDRAIL_BUDGETS_URL: budgetsUrl(), HANDRAIL_ADMIN_TOKEN: adminToken };
    const args = ['--no-demo', '--egress-allow', new URL(api.origin).host];
    if (kind === 'two workers on SQLite')
      gateways = [await serveHandrail(['--workers', '2', '--data-dir', folder, ...args], env)];
    else {
      const databaseUrl = await createDatabase();
      gateways = [await startInstance(databaseUrl, args, env)];
      gateways.push(
        ...(await Promise.all([
          startInstance(databaseUrl, args, env),
          startInstance(databaseUrl, args, env),
        ])),
      );
    }
    urls = gateways.map(({ url }) => url);
    await addTools(urls[0]!);
    const isReady = async (url: string) =>
      (await metric(url, 'handrail_budget_processes')) === processes &&
      (await callTool(url, 'wide', {}, close)) === null;
    for (const url of urls) await vi.waitUntil(() => isReady(url), { timeout: 60_000, interval: 100 });
    Object.assign(seen, { limited: 0, running: 0, most: 0 });
  });
  afterAll(async () => {
    expect(await Promise.all(gateways.map(end))).toEqual(gateways.map(() => 0));
    for (const { stderr } of gateways) expect(stderr()).not.toContain(password);
    // They have taken leave; what is left goes by itself.
    for (const key of (await redis.ask('KEYS', '*')).split('\n').filter(Boolean)) {
      expect(key).toContain(':budget ');
      expect(await redis.ask('PTTL', key)).not.toBe('-1');
    }
    await redis.ask('FLUSHALL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('let through what a limit says, and run as many at once as it says', async () => {
    const calling = callOn(urls, 'limited', isLimit);
    await expect.poll(() => seen.limited).toBeGreaterThanOrEqual(perMinute);
    await pause(2_000);
    expect(await calling.stop()).toEqual([]);
    console.log(`${kind}: ${seen.limited} of ${calling.calls()} calls passed`);
    expect(seen.limited).toBeLessThanOrEqual(perMinute * 1.1);

    const running = urls.flatMap((url) =>
      Array.from({ length: 40 / urls.length }, () => callTool(url, 'narrow', {}, close)),
    );
    expect((await Promise.all(running)).filter((failure) => failure !== null)).toEqual([]);
    expect(seen.most).toBe(maxAtOnce);
    expect(await redis.ask('KEYS', '*')).toContain(':budget turns');
  });

  it('fail no call while Redis is killed, stands still and comes back, and say so', async () => {
    const calling = callOn(urls, 'wide');
    await pause(500);
    await redis.kill();
    for (const url of urls) await expect.poll(() => metric(url, 'handrail_budgets_away')).toBe(1);
    await pause(1_000);
    await redis.start();
    for (const url of urls) await expect.poll(() => metric(url, 'handrail_budgets_away')).toBe(0);

    redis.signal('SIGSTOP');
    for (const url of urls) await expect.poll(() => metric(url, 'handrail_budgets_away')).toBe(1);
    await pause(3_000);
    redis.signal('SIGCONT');
    for (const url of urls) await expect.poll(() => metric(url, 'handrail_budgets_away')).toBe(0);
    expect(await calling.stop()).toEqual([]);
    console.log(`${kind}: ${calling.calls()} calls while Redis was away and back`);
    for (const { stderr } of gateways) expect(stderr()).toContain(away);
    for (const url of urls) expect(await metric(url, 'handrail_budget_processes')).toBe(processes);
    const connected = (await redis.ask('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n');
    // One for each process, and the question itself.
    expect(connected).toHaveLength(processes + 1);
  });
});

describe('a gateway whose Redis is not as it should be', () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-wrong-redis-'));
  const dataDir = ['--data-dir', folder];
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('serves with a wrong password, says why once without it, and doctor tells', async () => {
    const env = {
      HANDRAIL_BUDGETS_URL: `redis://:not-the-password@127.0.0.1:${redis.port}`,
      HANDRAIL_ADMIN_TOKEN: adminToken,
    };
    const gateway = await serveHandrail([...dataDir, '--demo'], env);
    expect(await callTool(gateway.url, 'weather_get', { location: 'Berlin' })).toBeNull();
    const doctor = await runHandrail(['doctor', '--offline', '--port', '0', ...dataDir], env);
    expect(await end(gateway)).toBe(0);
    expect(gateway.stderr().split(away)).toHaveLength(2);
    expect(gateway.stderr()).toContain('WRONGPASS');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/FAIL shared limits: .*WRONGPASS/);
    for (const said of [gateway.stderr(), doctor.stdout, doctor.stderr])
      expect(said).not.toContain('not-the-password');
  });

  it('has doctor name a Redis that is as it should be, over TLS too', async () => {
    const [key, certificate] = ['key', 'certificate'].map((name) => join(folder, `${name}.pem`)) as [
      string,
      string,
    ];
    const request =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
    const names = ['-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    });
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    const secure = await startRedis(
      '--port 0 --tls-port PORT --tls-auth-clients no'.split(' ').concat(files),
    );
    const tell = (url: string, env: Record<string, string> = {}) =>
      runHandrail(['doctor', '--offline', '--port', '0', ...dataDir], { HANDRAIL_BUDGETS_URL: url, ...env });
    const plain = await tell(budgetsUrl());
    expect(plain.stdout).toMatch(/ok {3}shared limits: Redis [\d.]+ keeps shared limits/);
    expect(plain.stdout + plain.stderr).not.toContain(encodeURIComponent(password));
    const address = `rediss://localhost:${secure.port}`;
    expect((await tell(address, { NODE_EXTRA_CA_CERTS: certificate })).stdout).toContain(
      'ok   shared limits',
    );
    const connection = createRedisConnection(address);
    await expect(connection.use((send) => send(['PING']))).rejects.toThrow('certificate');
    connection.close();
    await secure.close();
  });
});
