import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../test/support/running-gateway.ts';

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
let running: RunningGateway;
let key: string;

beforeAll(async () => {
  running = await startGateway({ demo: true, maxBodyBytes: 5_000 });
  await running.admin('POST', '/servers', { slug: 'keyed', tools: '*', policy: { kind: 'key' } });
  await running.admin('POST', '/servers', { slug: 'off', tools: '*', enabled: false });
  key = (await running.admin('POST', '/keys', { name: 'right' })).body.key;
});
afterAll(() => running.stop());

function post(path: string, headers: Record<string, string> = {}, body = list, pieces = 1): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(running.url);
    const req = request(
      {
        hostname,
        port,
        method: 'POST',
        path,
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          ...headers,
        },
      },
      (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, text }));
      },
    );
    req.on('error', reject);
    req.setNoDelay(true);
    const bytes = Buffer.from(body);
    const size = Math.ceil(bytes.length / pieces);
    let at = 0;
    const next = (): void => {
      req.write(bytes.subarray(at, (at += size)));
      if (at < bytes.length) setImmediate(next);
      else req.end();
    };
    next();
  });
}

const isListed = ({ status, text }: Answer) => status === 200 && text.includes('"weather_get"');

describe('a post to MCP', () => {
  it.each([
    ['at the default server', '/mcp', {}],
    ['at the default server by its name', '/mcp/default', {}],
    ['with a query', '/mcp?key=unused', {}],
    ['at an address with a slash behind it', '/mcp/', {}],
    ['from one of our own pages', '/mcp', { origin: 'own' }],
    ['in a charset that is said', '/mcp', { 'content-type': 'application/json; charset=utf-8' }],
    ['with the right key', '/mcp/keyed', { authorization: 'right' }],
  ] as const)('%s is answered', async (_what, path, headers) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value === 'own' ? running.url : value === 'right' ? `Bearer ${key}` : value,
      ]),
    );
    expect(isListed(await post(path, sent))).toBe(true);
  });

  it.each([
    ['without a key', '/mcp/keyed', {}, 401],
    ['with a wrong key', '/mcp/keyed', { authorization: 'Bearer hrk_wrong' }, 401],
    ['for a server that is not there', '/mcp/nothing', {}, 401],
    ['for a server that is off', '/mcp/off', {}, 401],
    ['for a slug that cannot be', '/mcp/NoSuch_Slug', {}, 401],
    ['to a Host that is not ours', '/mcp', { host: 'evil.example' }, 403],
    ['from a page of another site', '/mcp', { origin: 'https://evil.example' }, 403],
    ['from another site that hides its origin', '/mcp', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that is no JSON by its type', '/mcp', { 'content-type': 'text/plain' }, 415],
    ['that is packed', '/mcp', { 'content-encoding': 'gzip' }, 415],
  ])('%s is refused', async (_what, path, headers, status) => {
    const answer = await post(path, headers);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('weather_get');
    expect(answer.headers['www-authenticate'] === undefined).toBe(status !== 401);
  });

  it.each([1, 2, 7, 60])('is read whole when it comes in %i pieces', async (pieces) => {
    expect(isListed(await post('/mcp', {}, list, pieces))).toBe(true);
  });

  it('is read when nobody said how long it is', async () => {
    const answer = await fetch(`${running.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(list));
          controller.close();
        },
      }),
      duplex: 'half',
    });
    expect([answer.status, (await answer.text()).includes('weather_get')]).toEqual([200, true]);
  });

  it.each([
    [5_000, 200],
    [5_001, 413],
  ])('of %i bytes is answered with %i', async (length, status) => {
    const padded = list.slice(0, -1) + ' '.repeat(length - list.length) + '}';
    expect((await post('/mcp', {}, padded)).status).toBe(status);
  });

  it('that breaks off leaves nothing behind', async () => {
    const { hostname, port } = new URL(running.url);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`,
          () => socket.destroy(),
        );
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    expect(isListed(await post('/mcp'))).toBe(true);
  });

  it('is refused as soon as its key is revoked', async () => {
    const made = (await running.admin('POST', '/keys', { name: 'soon gone' })).body;
    const headers = { authorization: `Bearer ${made.key}` };
    expect(isListed(await post('/mcp/keyed', headers))).toBe(true);
    await running.admin('POST', `/keys/${made.id}/revoke`);
    expect((await post('/mcp/keyed', headers)).status).toBe(401);
  });
});
