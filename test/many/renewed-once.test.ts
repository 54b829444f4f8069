import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServingProcess } from '../support/command.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { bodyOf, json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { startTcpSwitch, type TcpSwitch } from '../support/servers/tcp-switch.ts';
import { callTool, change, end, startInstance } from './instances.ts';

const lifetimeSeconds = 2;

/** An API, and the authorization server in front of it: a refresh token that comes twice ends the connection. */
async function startRotatingApi() {
  const issued = new Set<string>();
  let refreshToken = 'first';
  const counts = { renewals: 0, reused: 0 };
  const server = await serveHttp(async (request, response) => {
    if (request.url !== '/token') {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
      return json(response, issued.has(token) ? 200 : 401, {});
    }
    if (new URLSearchParams(await bodyOf(request)).get('refresh_token') !== refreshToken) {
      counts.reused++;
      return json(response, 400, { error: 'invalid_grant' });
    }
    counts.renewals++;
    refreshToken = randomUUID();
    const accessToken = randomUUID();
    issued.add(accessToken);
    json(response, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      refresh_token: refreshToken,
    });
  });
  return { server, counts };
}

describe('a sign-in that three instances share, and whose refresh token changes with every use', () => {
  let api: { readonly server: TestServer; readonly counts: { renewals: number; reused: number } };
  let databases: TcpSwitch[];
  let instances: ServingProcess[];
  const failures: string[] = [];
  let calls = 0;
  const over = new AbortController();

  async function call(url: string): Promise<void> {
    const failure = await callTool(url, 'look');
    if (failure !== null) failures.push(failure);
    calls++;
  }

  const untilRenewedAgain = async (times: number) => {
    const goal = api.counts.renewals + times;
    await expect.poll(() => api.counts.renewals).toBeGreaterThanOrEqual(goal);
  };

  beforeAll(async () => {
    api = await startRotatingApi();
    const { origin } = api.server;
    const url = new URL(await createDatabase());
    databases = await Promise.all([1, 2, 3].map(() => startTcpSwitch(`http://127.0.0.1:${url.port}`)));
    instances = [];
    for (const database of databases) {
      url.host = new URL(database.url).host;
      instances.push(await startInstance(url.href, ['--egress-allow', new URL(origin).host]));
    }
    const [first] = instances;
    const auth = { kind: 'oauth2', grant: 'refresh_token', tokenUrl: `${origin}/token` };
    for (const [path, body] of [
      ['/apis', { slug: 'rotating', baseUrl: origin, auth }],
      [
        '/credentials',
        { api: 'rotating', fields: { clientId: 'c', clientSecret: 's', refreshToken: 'first' } },
      ],
      [
        '/tools',
        { api: 'rotating', name: 'look', description: 'Look', operation: { method: 'GET', path: '/' } },
      ],
    ] as const)
      await change(first!.url, path, body);
  });
  afterAll(async () => {
    over.abort();
    for (const database of databases) database.thaw();
    await Promise.all(instances.map(end));
    await Promise.all(databases.map((database) => database.stop()));
    await api.server.close();
  });

  it('is renewed by one of them at a time, also while the database is away, and no call fails', async () => {
    for (const { url: each } of instances)
      await expect.poll(async () => (await fetch(`${each}/mcp/tools/list`)).text()).toContain('"look"');
    const callers = instances.flatMap(({ url }) =>
      [1, 2].map(async () => {
        while (!over.signal.aborted) await call(url);
      }),
    );
    await untilRenewedAgain(5);
    // One of them loses sight of the database, in turn; the others go on.
    for (const database of databases) {
      database.freeze();
      await untilRenewedAgain(2);
      database.thaw();
    }
    // All of them do, at whatever moment of a renewal that is.
    for (let round = 0; round < 3; round++) {
      for (const database of databases) database.freeze();
      await delay(lifetimeSeconds * 1_000);
      for (const database of databases) database.thaw();
      await untilRenewedAgain(1);
    }
    await untilRenewedAgain(Math.max(2, 20 - api.counts.renewals));
    over.abort();
    await Promise.all(callers);
    console.log(`${calls} calls over ${api.counts.renewals} renewals, ${failures.length} failed`);
    expect(failures).toEqual([]);
    expect(api.counts.reused).toBe(0);
    expect(calls).toBeGreaterThan(api.counts.renewals);
  });
});
