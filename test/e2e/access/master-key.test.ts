import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway.ts';
import { sealedWith } from '../../../src/credentials/seal.ts';
import { json, serveHttp } from '../../support/servers/http-server.ts';
import { adminToken, startGateway } from '../../support/gateway.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const secret = 'the-secret-value';

/** A gateway with an API that wants a bearer token, one that wants none, and a tool for each. */
async function prepared() {
  const upstream = await serveHttp((request, response) =>
    json(
      response,
      request.url === '/open' || request.headers.authorization === `Bearer ${secret}` ? 200 : 401,
      {},
    ),
  );
  closers.push(upstream.close);
  const main = await startGateway({ egressAllow: ['127.0.0.1'] });
  closers.push(main.close);
  for (const [slug, auth] of [
    ['closed', { kind: 'bearer' }],
    ['open', { kind: 'none' }],
  ] as const) {
    await main.request('POST', '/api/v1/apis', { slug, baseUrl: upstream.origin, auth });
    await main.request('POST', '/api/v1/tools', {
      api: slug,
      name: slug,
      description: 'x',
      operation: { method: 'GET', path: `/${slug}`, parameters: [] },
    });
  }
  expect((await main.request('POST', '/api/v1/credentials', { api: 'closed', secret })).statusCode).toBe(201);
  return { main, dataDir: main.dataDir };
}

/** Another process's view of the same data folder. */
async function second(dataDir: string, settings: object = {}): Promise<Gateway> {
  const { gateway, close } = await startGateway({ dataDir, egressAllow: ['127.0.0.1'], ...settings });
  closers.push(close);
  return gateway;
}

const rpc = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {} },
});

async function call(gateway: Gateway, name: string): Promise<{ error?: { message: string } }> {
  const answer = await gateway.app.inject({
    method: 'POST',
    url: '/mcp/tools/call',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    payload: JSON.stringify(rpc(name)),
  });
  return answer.json();
}

async function rotate(gateway: Gateway, lostKey = false) {
  const answer = await gateway.app.inject({
    method: 'POST',
    url: '/api/v1/credentials/rotate-key',
    headers: { host: 'localhost', authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    payload: JSON.stringify({ lostKey }),
  });
  return {
    status: answer.statusCode,
    body: answer.json<{ keyId: string; resealed: number; unreadable: string[]; detail?: string }>(),
  };
}

describe('the master key', () => {
  it('is exchanged by another process while this one serves under load: no call fails', async () => {
    const { main, dataDir } = await prepared();
    const other = await second(dataDir);
    const keys = new Set<string>();
    const failures: unknown[] = [];
    let calls = 0;
    const stop = new AbortController();
    const load = Array.from({ length: 20 }, async () => {
      while (!stop.signal.aborted) {
        const answer = await call(main.gateway, 'closed');
        calls++;
        if (answer.error) failures.push(answer.error);
      }
    });
    for (let i = 0; i < 5; i++) {
      const { status, body } = await rotate(other);
      expect(status).toBe(200);
      expect(body).toMatchObject({ resealed: 1, unreadable: [] });
      keys.add(body.keyId);
      // Until this process has taken in the newly sealed row.
      while (sealedWith([...main.gateway.registry.snapshot.credentials.values()][0]!.sealed) !== body.keyId)
        await main.gateway.registry.sync();
      await call(main.gateway, 'closed');
    }
    stop.abort();
    await Promise.all(load);
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(20);
    expect(keys.size).toBe(5);
    expect(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n')).toHaveLength(2);
    const later = await second(dataDir);
    expect((await call(later, 'closed')).error).toBeUndefined();
  });

  it('when lost, leaves everything without a secret working and says what to do', async () => {
    const { main, dataDir } = await prepared();
    await main.gateway.registry.sync();
    rmSync(join(dataDir, 'secret.key'));
    const later = await second(dataDir);
    expect((await call(later, 'open')).error).toBeUndefined();
    expect((await call(later, 'closed')).error?.message).toContain(
      'restore that key (HANDRAIL_SECRET_KEY or the file secret.key), or enter the secret again',
    );
    expect(await rotate(later)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('--lost-key') },
    });
    expect(await rotate(later, true)).toMatchObject({
      status: 200,
      body: { resealed: 0, unreadable: ['closed'] },
    });
    const entered = await later.app.inject({
      method: 'POST',
      url: '/api/v1/credentials',
      headers: {
        host: 'localhost',
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
      },
      payload: JSON.stringify({ api: 'closed', secret }),
    });
    expect(entered.statusCode).toBe(201);
    expect((await call(later, 'closed')).error).toBeUndefined();
  });

  it('from the environment is exchanged with both keys at hand', async () => {
    const [old, fresh] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    const first = await startGateway({ egressAllow: ['127.0.0.1'], secretKey: old });
    closers.push(first.close);
    await first.request('POST', '/api/v1/apis', {
      slug: 'closed',
      baseUrl: 'http://127.0.0.1:9',
      auth: { kind: 'bearer' },
    });
    await first.request('POST', '/api/v1/credentials', { api: 'closed', secret });
    const both = await second(first.dataDir, { secretKey: `${fresh},${old}` });
    expect(await rotate(both)).toMatchObject({ status: 200, body: { resealed: 1 } });
    const after = await second(first.dataDir, { secretKey: fresh });
    expect((await call(after, 'closed')).error?.message ?? '').not.toContain('master key');
  });
});
