import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHandrail, serveHandrail } from '../support/command.ts';
import { json as answerJson, serveHttp } from '../support/servers/http-server.ts';

/** An API whose one tool, `held`, answers when it is let go. */
async function startHeldApi() {
  let arrived = (): void => {};
  const asked = new Promise<void>((resolve) => (arrived = resolve));
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const upstream = await serveHttp((_request, response) => {
    arrived();
    void released.then(() => answerJson(response, 200, {}));
  });
  return {
    asked,
    letGo,
    close: upstream.close,
    /** Makes the tool known to a gateway. */
    async register(url: string, token: string) {
      for (const [path, body] of [
        ['/apis', { slug: 'held', baseUrl: upstream.origin }],
        [
          '/tools',
          { api: 'held', name: 'held', description: 'Held', operation: { method: 'GET', path: '/' } },
        ],
      ] as const) {
        const answer = await fetch(`${url}/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(answer.status).toBe(201);
      }
    },
  };
}

/** Resolves once nobody listens there any more: a gateway that stops refuses new connections first. */
async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
  while (await isOpen());
}

describe('the program', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handrail-life-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('opens no debugger to a signal, and goes on', async () => {
    const args = ['--data-dir', join(folder, 'signalled'), '--no-demo'];
    const { url, child, stderr, exited } = await serveHandrail(args);
    for (let i = 0; i < 5; i++) {
      child.kill('SIGUSR1');
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    // What Node says when it opens one, and when it would have if its port were free.
    expect(stderr()).not.toMatch(/debugger|inspector/i);
  });

  it('keeps every acknowledged change when it is killed in the middle of writing', async () => {
    const dataDir = join(folder, 'killed');
    const token = 'kill-test-token-0123456789';
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round++) {
      const { url, child, exited } = await serveHandrail(['--data-dir', dataDir, '--no-demo'], {
        HANDRAIL_ADMIN_TOKEN: token,
      });
      const ask = (method: string, path: string, body?: unknown) =>
        fetch(`${url}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
      const listed = (await (await ask('GET', '/apis?limit=500')).json()) as { items: { slug: string }[] };
      expect(listed.items.map((api) => api.slug)).toEqual(expect.arrayContaining(acknowledged));

      // Some changes are acknowledged; of three more that are under way, each may have been made or not.
      const change = async (slug: string) => {
        const answer = await ask('POST', '/apis', { slug, baseUrl: 'https://api.example.com' });
        if (answer.status === 201) acknowledged.push(slug);
      };
      for (let n = 0; n < 1 + round * 3; n++) await change(`r${round}-n${n}`);
      const underWay = ['a', 'b', 'c'].map((name) => change(`r${round}-${name}`));
      await Promise.race(underWay);
      child.kill('SIGKILL');
      await Promise.allSettled([...underWay, exited]);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(6);
  });

  it('finishes a running call when it is asked to stop, and exits with 0', async () => {
    const token = 'drained-token-0123456789';
    const { url, child, exited } = await serveHandrail(
      ['--data-dir', join(folder, 'drained'), '--egress-allow', '127.0.0.1', '--drain-ms', '600000'],
      { HANDRAIL_ADMIN_TOKEN: token },
    );
    const api = await startHeldApi();
    await api.register(url, token);
    const call = fetch(`${url}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'held', arguments: {} },
      }),
    }).then((answer) => answer.json() as Promise<{ result: unknown }>);
    await api.asked;
    child.kill('SIGTERM');
    await untilRefused(url);
    api.letGo();
    expect(await call).toHaveProperty('result');
    expect(await exited).toBe(0);
    await api.close();
    const recorded = await runHandrail(['calls', '--json', '--data-dir', join(folder, 'drained')]);
    expect(JSON.parse(recorded.stdout)).toMatchObject({
      total: 1,
      items: [{ toolName: 'held', outcome: 'ok' }],
    });
  });

  it('ends the streams of those who only listen at once when it is asked to stop, and still finishes a call', async () => {
    const token = 'listened-token-0123456789';
    const { url, child, exited } = await serveHandrail(
      [
        '--data-dir',
        join(folder, 'listened'),
        // Longer than the test may take: only streams that are ended let it pass.
        '--drain-ms',
        '600000',
        '--egress-allow',
        '127.0.0.1',
      ],
      { HANDRAIL_ADMIN_TOKEN: token },
    );
    const api = await startHeldApi();
    await api.register(url, token);
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const opened = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    });
    await opened.text();
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const streams = await Promise.all([
      fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream', ...session } }),
      fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } }),
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          ...json,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 2,
          method: 'subscriptions/listen',
          params: { notifications: { toolsListChanged: true }, _meta: meta },
        }),
      }),
    ]);
    expect(streams.map((stream) => stream.headers.get('content-type'))).toEqual([
      'text/event-stream',
      'text/event-stream',
      'text/event-stream',
    ]);
    const call = fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...json, ...session },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'held', arguments: {} },
      }),
    });
    await api.asked;
    child.kill('SIGTERM');
    await Promise.all(streams.map((stream) => stream.text()));
    api.letGo();
    expect(await (await call).text()).toContain('"result"');
    expect(await exited).toBe(0);
    await api.close();
  });

  it('says what to do when the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await runHandrail([
      'serve',
      '--port',
      String(port),
      '--data-dir',
      join(folder, 'port'),
    ]);
    taken.close();
    expect(code).toBe(3);
    expect(stderr).toContain(`Port ${port} is in use`);
    expect(stderr).toContain('--port');
    expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
  });

  it('makes the data folder and its files readable for its owner only', async () => {
    const dataDir = join(folder, 'modes');
    await runHandrail(['apis', '--data-dir', dataDir]);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'handrail.db'))).mode & 0o077).toBe(0);
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o077).toBe(0);
  });

  it('refuses a damaged database with a message and no stack', async () => {
    const dataDir = join(folder, 'damaged');
    await runHandrail(['apis', '--data-dir', dataDir]);
    await writeFile(join(dataDir, 'handrail.db'), 'this is not a database, but it is long enough to look at');
    const { code, stderr } = await runHandrail(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^handrail: /);
    expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
  });

  it('stores the admin token only as a hash, and replaces it in a running gateway', async () => {
    const dataDir = join(folder, 'token');
    const { url, child, exited } = await serveHandrail(['--data-dir', dataDir, '--no-demo']);
    const reset = await runHandrail(['admin-token', '--reset', '--data-dir', dataDir]);
    const token = reset.stdout.trim();
    expect((await readFile(join(dataDir, 'handrail.db'))).includes(token)).toBe(false);
    await expect
      .poll(
        async () =>
          (await fetch(`${url}/api/v1/apis`, { headers: { authorization: `Bearer ${token}` } })).status,
      )
      .toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  describe('with an open server in its data folder', () => {
    beforeAll(() => runHandrail(['apis', '--data-dir', join(folder, 'open')]));

    it.each([
      [['serve', '--host', '0.0.0.0'], 'HANDRAIL_ALLOW_OPEN'],
      [['serve', '--port', '99999'], '--port'],
      [['serve', '--log-level', 'loud'], '--log-level'],
    ])('refuses to start with %j and says why', async (args, mention) => {
      const { code, stderr } = await runHandrail([...args, '--data-dir', join(folder, 'open')]);
      expect(code).toBe(3);
      expect(stderr).toContain(mention);
    });
  });

  it('refuses PostgreSQL without a master key', async () => {
    const { code, stderr } = await runHandrail(['serve', '--port', '0'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/HANDRAIL_SECRET_KEY|PostgreSQL/);
  });

  it('serves a new server with keys on an address that others can reach', async () => {
    const { url, child, exited } = await serveHandrail([
      '--host',
      '0.0.0.0',
      '--data-dir',
      join(folder, 'reachable'),
    ]);
    expect((await fetch(`${url}/mcp/tools/list`)).status).toBe(401);
    child.kill('SIGTERM');
    await exited;
  });
});
