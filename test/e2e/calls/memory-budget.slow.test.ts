import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryBudget } from '../../../src/lib/memory/memory-budget.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const mebibyte = 1024 * 1024;
const text = JSON.stringify({ text: 'x'.repeat(4 * mebibyte) });
// What each gateway's budget counts, in the order in which they are made.
const used = new Map<MemoryBudget, { now: number; peak: number }>();
const { add } = MemoryBudget.prototype;
MemoryBudget.prototype.add = function (bytes) {
  add.call(this, bytes);
  used.set(this, { now: this.used, peak: Math.max(this.used, used.get(this)?.peak ?? 0) });
};
const held = () => [...used.values()].reduce((sum, { now }) => sum + now, 0);
const peak = () => Math.max(...[...used.values()].map((each) => each.peak));

let at: TestGateway;
let api: TestServer;
afterEach(async () => {
  used.clear();
  await at.close();
  await api.close();
});

async function start(settings: Parameters<typeof startGateway>[0]): Promise<void> {
  api = await serveHttp((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(request.url === '/large' ? text : '{"small":true}');
  });
  // Replies go out whole: a budget in tokens would keep most of them here.
  at = await startGateway({ egressAllow: ['127.0.0.1'], replyMaxTokens: 0, ...settings });
  await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: api.origin });
  for (const name of ['large', 'small'])
    await at.request('POST', '/api/v1/tools', {
      api: 'one',
      name,
      description: name,
      operation: { method: 'GET', path: `/${name}` },
    });
}

const body = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name,
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

const call = async (name: string) =>
  (
    await at.request('POST', '/mcp', body(name), {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    })
  ).json<{ result: { isError?: boolean; content: { text: string }[] } }>().result;

describe('the memory that large replies may take', () => {
  test.each([
    ['shown whole', 0],
    ['kept for reading in parts', 1_000],
  ])('is never exceeded: replies %s wait for each other, and all arrive', async (_, replyMaxTokens) => {
    // Room for two, with every copy that is made of them.
    await start({ maxBytesUnderWay: 40 * mebibyte, replyMaxTokens });
    const results = await Promise.all(Array.from({ length: 12 }, () => call('large')));
    expect(results.filter(({ isError }) => isError === true)).toEqual([]);
    expect(peak()).toBeLessThanOrEqual(40 * mebibyte);
    expect(peak()).toBeGreaterThan(32 * mebibyte);
    await expect.poll(held).toBe(0);
  });

  test('is counted for each gateway by itself', async () => {
    await start({ maxBytesUnderWay: 40 * mebibyte });
    const other = await startGateway({ maxBytesUnderWay: mebibyte });
    const results = await Promise.all(Array.from({ length: 2 }, () => call('large')));
    await other.close();
    expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined]);
    expect(peak()).toBeGreaterThan(32 * mebibyte);
  });

  test('gives a reply that is larger than all of it a turn alone', async () => {
    await start({ maxBytesUnderWay: mebibyte });
    const results = await Promise.all(Array.from({ length: 3 }, () => call('large')));
    expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined, undefined]);
    expect(peak()).toBeLessThan(2 * 4 * 4 * mebibyte);
  });

  test('refuses a reply that gets no turn in time as overloaded', async () => {
    await start({ maxBytesUnderWay: mebibyte });
    expect((await call('large')).isError).not.toBe(true);
    await at.request('PATCH', '/api/v1/apis/one', { limits: { totalTimeoutMs: 3_000 } });
    const [hold] = used.keys();
    hold!.add(mebibyte);
    const { isError, content } = await call('large');
    hold!.add(-mebibyte);
    await at.request('PATCH', '/api/v1/apis/one', { limits: {} });
    expect(isError).toBe(true);
    expect(content[0]!.text).toMatch(/Too many large replies.*call again/s);
    expect((await call('large')).isError).not.toBe(true);
  });

  test('counts answers that nobody reads until their clients are let go', async () => {
    await start({ maxBytesUnderWay: 20 * mebibyte, clientTimeoutMs: 1_000 });
    const port = Number(new URL(await at.gateway.listen()).port);
    const sockets: Socket[] = [];
    const payload = JSON.stringify(body('large'));
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: large\r\nContent-Length: ${payload.length}\r\n\r\n`;
    for (let i = 0; i < 4; i++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {}).pause();
      socket.write(head + payload);
      sockets.push(socket);
    }
    await expect.poll(held).toBeGreaterThan(4 * mebibyte);
    expect((await call('small')).isError).not.toBe(true);
    await expect.poll(held).toBe(0);
    expect((await call('large')).isError).not.toBe(true);
    for (const socket of sockets) socket.destroy();
  });
});
