import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { bytesUnderWay } from '../../../src/lib/memory/bytes-under-way.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const mebibyte = 1024 * 1024;
const text = JSON.stringify({ text: 'x'.repeat(4 * mebibyte) });
let at: TestGateway;
let api: TestServer;
afterEach(async () => {
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

describe('the budget of bytes under way', () => {
  test('refuses some of many large replies at once, and every one after the other', async () => {
    await start({ maxBytesUnderWay: 10 * mebibyte });
    const results = await Promise.all(Array.from({ length: 12 }, () => call('large')));
    const refused = results.filter(({ isError }) => isError === true);
    expect(refused.length).toBeGreaterThan(0);
    for (const { content } of refused)
      expect(content[0]!.text).toMatch(/Too many large replies.*call again/s);
    expect(refused.length).toBeLessThan(results.length);
    await expect.poll(() => bytesUnderWay.used).toBe(0);
    for (let i = 0; i < 3; i++) expect((await call('large')).isError).not.toBe(true);
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
    await expect.poll(() => bytesUnderWay.used).toBeGreaterThan(4 * mebibyte);
    expect((await call('small')).isError).not.toBe(true);
    await expect.poll(() => bytesUnderWay.used).toBe(0);
    expect((await call('large')).isError).not.toBe(true);
    for (const socket of sockets) socket.destroy();
  });
});
