import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveHandrail, type ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { callTool, change, end, startInstance } from './instances.ts';
import { ask, workersOf } from './workers.ts';

const restarts = Number(process.env['HANDRAIL_RESTARTS'] ?? 4);

/** An API whose every answer waits until it is let go. */
async function startHoldingApi() {
  const held: (() => void)[] = [];
  const server = await serveHttp((request, response) => {
    if (request.url !== '/held') return json(response, 200, { at: request.url });
    held.push(() => json(response, 200, {}));
    return undefined;
  });
  return { server, held };
}

describe.each(['SQLite', 'PostgreSQL'] as const)('a gateway of two workers on %s', (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-workers-'));
  let api: { readonly server: TestServer; readonly held: (() => void)[] };
  let gateway: ServingProcess;

  async function start(): Promise<ServingProcess> {
    const args = ['--workers', '2', '--egress-allow', new URL(api.server.origin).host];
    if (store === 'PostgreSQL') return startInstance(await createDatabase(), args);
    return serveHandrail(['--data-dir', folder, '--no-demo', ...args], { HANDRAIL_ADMIN_TOKEN: adminToken });
  }

  beforeAll(async () => {
    api = await startHoldingApi();
    gateway = await start();
    await vi.waitUntil(() => workersOf(gateway).length === 2, { timeout: 60_000 });
    // A process is there before it serves.
    await vi.waitUntil(
      async () => /^handrail_budget_processes 2$/m.test((await ask(gateway.url, 'GET', '/metrics')).text),
      { timeout: 60_000, interval: 100 },
    );
    const { origin } = api.server;
    await change(gateway.url, '/apis', { slug: 'holding', baseUrl: origin });
    for (const path of ['free', 'held'])
      await change(gateway.url, '/tools', {
        api: 'holding',
        name: path,
        description: path,
        operation: { method: 'GET', path: `/${path}` },
      });
  });
  afterEach(() => api.held.splice(0).forEach((letGo) => letGo()));
  afterAll(async () => {
    expect(await end(gateway)).toBe(0);
    await api.server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('keeps its workers when a terminal is closed, which tells each of them', async () => {
    const before = workersOf(gateway);
    for (const pid of before) process.kill(pid, 'SIGHUP');
    for (let i = 0; i < 4; i++) expect((await ask(gateway.url, 'GET', '/livez')).status).toBe(200);
    expect(workersOf(gateway)).toEqual(before);
  });

  it('shows what was changed a moment ago, whichever worker is asked', async () => {
    for (let i = 0; i < 10; i++) {
      await change(gateway.url, '/servers', { slug: `made-${i}`, tools: [{ api: 'holding' }] });
      for (let again = 0; again < 4; again++)
        expect((await ask(gateway.url, 'GET', `/api/v1/servers/made-${i}`)).status).toBe(200);
    }
  });

  it('counts and records the calls of both in one scrape and one list', async () => {
    const counted = async () =>
      Number(
        /handrail_calls_total\{api="holding".*outcome="ok"\} (\d+)/.exec(
          (await ask(gateway.url, 'GET', '/metrics')).text,
        )?.[1] ?? 0,
      );
    const before = await counted();
    for (let i = 0; i < 20; i++)
      expect(await callTool(gateway.url, 'free', {}, { connection: 'close' })).toBeNull();
    expect(await counted()).toBe(before + 20);
    const { text } = await ask(gateway.url, 'GET', '/api/v1/calls?limit=100');
    expect((JSON.parse(text) as { total: number }).total).toBe(before + 20);
  });

  it('hears at one worker of the end of a request that another one answers', async () => {
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
    const opened = await ask(gateway.url, 'POST', '/mcp', headers, {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const running = ask(gateway.url, 'POST', '/mcp', session, {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'held', arguments: {} },
    });
    await expect.poll(() => api.held.length).toBe(1);
    // Each comes by a connection of its own: one of two reaches the other worker.
    for (let i = 0; i < 2; i++)
      await ask(gateway.url, 'POST', '/mcp', session, {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 7 },
      });
    await running;
  });

  it('replaces a worker that is killed, and records the calls that ended with it', async () => {
    const calls = Array.from({ length: 6 }, () => callTool(gateway.url, 'held', {}, { connection: 'close' }));
    await expect.poll(() => api.held.length).toBe(6);
    const before = workersOf(gateway);
    const lost = async () => {
      const { text } = await ask(gateway.url, 'GET', '/api/v1/calls?outcome=internal&limit=100');
      return (JSON.parse(text) as { items: { message: string }[] }).items.map(({ message }) => message);
    };
    // They are told of once they have run for a moment.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    process.kill(before[0]!, 'SIGKILL');
    await expect.poll(() => workersOf(gateway).filter((pid) => !before.includes(pid))).toHaveLength(1);
    api.held.splice(0).forEach((letGo) => letGo());
    const failed = (await Promise.all(calls)).filter((failure) => failure !== null);
    expect(failed).toHaveLength(3);
    await expect.poll(async () => (await lost()).length).toBe(3);
    expect((await lost())[0]).toContain('ended before the call was answered');
    await expect.poll(() => callTool(gateway.url, 'free')).toBeNull();
  });

  it('gives nothing to a worker that stands still, and what was on its way to one that dies to another', async () => {
    const before = workersOf(gateway);
    const [still] = before;
    process.kill(still!, 'SIGSTOP');
    const asked = Array.from({ length: 12 }, () => ask(gateway.url, 'GET', '/livez').catch(() => null));
    // Counts stay whole: what it had counted is known from the scrape before.
    await expect
      .poll(async () => {
        const answers = await Promise.race([
          Promise.all(Array.from({ length: 4 }, () => ask(gateway.url, 'GET', '/metrics'))),
          new Promise<[]>((resolve) => setTimeout(resolve, 900, [])),
        ]);
        return answers.map(({ status }) => status);
      })
      .toEqual([200, 200, 200, 200]);
    expect(workersOf(gateway)).toEqual(before);
    process.kill(still!, 'SIGKILL');
    expect((await Promise.all(asked)).map((answer) => answer?.status)).toEqual(asked.map(() => 200));
    await expect.poll(() => workersOf(gateway)).toHaveLength(2);
    await expect.poll(() => callTool(gateway.url, 'free')).toBeNull();
  });

  it('has new workers take over the connections of old ones, whatever their clients have sent', async () => {
    const { host, hostname, port } = new URL(gateway.url);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'free', arguments: {} },
    });
    const request = [
      'POST /mcp/tools/call HTTP/1.1',
      `host: ${host}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
    // Two of each, so that both workers have one: of those that have sent nothing, a whole request, or half of one.
    const clients = ['', '', request, request, request.slice(0, 60), request.slice(0, 60)].map((sent) => {
      const socket = connect(Number(port), hostname);
      const client = { socket, sent, received: '' };
      socket.on('data', (chunk: Buffer) => (client.received += chunk.toString()));
      socket.write(sent);
      return client;
    });
    const answered = () => clients.map(({ received }) => received.split('"result"').length - 1);
    await expect.poll(answered).toEqual([0, 0, 1, 1, 0, 0]);

    const before = workersOf(gateway);
    const old = () => workersOf(gateway).filter((pid) => before.includes(pid));
    gateway.child.kill('SIGHUP');
    // The half requests keep each worker until their clients have gone on.
    await expect.poll(() => workersOf(gateway).some((pid) => !before.includes(pid))).toBe(true);
    for (const { socket, sent } of clients) if (sent.length === 60) socket.write(request.slice(60));
    await expect.poll(answered).toEqual([0, 0, 1, 1, 1, 1]);
    await expect.poll(old).toHaveLength(0);

    const kept = clients.filter(({ received }) => !/^connection: close/im.test(received));
    expect(kept.length).toBeGreaterThanOrEqual(4);
    for (const { socket } of kept) socket.write(request);
    await expect
      .poll(() => kept.map(({ received }) => received.split('"result"').length - 1))
      .toEqual(kept.map(({ sent }) => (sent === '' ? 1 : 2)));
    clients.forEach(({ socket }) => socket.destroy());
  });

  it('fails no call while its workers are replaced one after the other', async () => {
    const over = new AbortController();
    const failures: string[] = [];
    let calls = 0;
    const callers = Array.from({ length: 8 }, async (_, at) => {
      while (!over.signal.aborted) {
        const failure = await callTool(gateway.url, 'free', {}, at % 2 === 0 ? {} : { connection: 'close' });
        if (failure !== null) failures.push(failure);
        calls++;
      }
    });
    for (let round = 0; round < restarts / 2; round++) {
      const before = workersOf(gateway);
      gateway.child.kill('SIGHUP');
      await expect.poll(() => workersOf(gateway).filter((pid) => before.includes(pid))).toHaveLength(0);
      const reached = calls;
      await expect.poll(() => calls).toBeGreaterThan(reached + 50);
    }
    // One alone, by its own signal.
    const [one] = workersOf(gateway);
    process.kill(one!, 'SIGTERM');
    await expect.poll(() => workersOf(gateway)).not.toContain(one);
    over.abort();
    await Promise.all(callers);
    console.log(`${store}: ${calls} calls over ${restarts} restarts of workers, ${failures.length} failed`);
    expect(failures).toEqual([]);
  });
});
