import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, serveHttp, serveTcp } from '../../support/servers/http-server.ts';
import { lastingPort } from '../../support/servers/lasting-port.mjs';
import type { TestServer } from '../../support/servers/http-server.ts';
import { startGateway } from '../../support/gateway.ts';
import type { TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
let control: TestServer;
const closers: (() => Promise<void>)[] = [];
let written = 0;

const raw = (text: string | Buffer) => (socket: Socket) => socket.once('data', () => socket.end(text));
const okHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

/** For what only ends when its time is over; the others have more time than a busy machine needs. */
const soon = { totalTimeoutMs: 1_500 };

/** Upstreams that misbehave, each with what the model is told. */
const upstreams: Record<string, { serve: () => Promise<TestServer>; says: RegExp; limits?: object }> = {
  'refuses connections': {
    serve: async () => {
      const port = await lastingPort();
      return { origin: `http://127.0.0.1:${port}`, port, seen: 0, close: async () => {} };
    },
    says: /refuses connections/,
  },
  hangs: { serve: () => serveTcp(() => {}), says: /Connection timeout|did not answer in time/, limits: soon },
  'accepts and sends only headers': {
    serve: () =>
      serveTcp((socket) => socket.once('data', () => socket.write(`${okHead}content-length: 5\r\n\r\n`))),
    says: /timeout|in time/i,
    limits: soon,
  },
  drips: {
    serve: () =>
      serveHttp((_request, response) => {
        const drip = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(drip));
      }),
    says: /timeout|in time/i,
    limits: soon,
  },
  'closes early': {
    serve: () => serveTcp((socket) => socket.once('data', () => socket.destroy())),
    says: /closed the connection/,
  },
  'closes in the middle of a body': {
    serve: () => serveTcp(raw(`${okHead}content-length: 100\r\n\r\nhalf`)),
    says: /closed the connection|not valid HTTP/,
  },
  'sends an endless body': {
    serve: () =>
      serveHttp((_request, response) => {
        const chunk = Buffer.alloc(65_536, 97);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) written += chunk.length;
        };
        response.on('drain', more);
        more();
      }),
    says: /larger than the limit/,
  },
  'announces five gigabytes': {
    serve: () =>
      serveTcp((socket) =>
        socket.once('data', () => socket.write(`${okHead}content-length: 5368709120\r\n\r\n`)),
      ),
    says: /larger than the limit/,
  },
  'sends a gzip bomb': {
    serve: async () => {
      const bomb = gzipSync(Buffer.alloc(100_000_000));
      return serveHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    },
    says: /larger than the limit/,
  },
  'sends a broken gzip': {
    serve: () =>
      serveHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end('not gzip')),
    says: /cannot be decompressed/,
  },
  'sends a hundred thousand headers': {
    serve: () => serveTcp(raw(`${okHead}${'x: y\r\n'.repeat(100_000)}\r\n`)),
    says: /headers larger/,
  },
  'sends one huge header': {
    serve: () => serveTcp(raw(`${okHead}x: ${'y'.repeat(1_000_000)}\r\n\r\n`)),
    says: /headers larger/,
  },
  'sends two lengths': {
    serve: () => serveTcp(raw(`${okHead}content-length: 3\r\ncontent-length: 5\r\n\r\nabcde`)),
    says: /not valid HTTP|closed the connection/,
  },
  'does not speak HTTP': {
    serve: () => serveTcp(raw('SSH-2.0-OpenSSH_9.6\r\n')),
    says: /not valid HTTP|closed the connection/,
  },
  'redirects for ever': {
    serve: () => serveHttp((_request, response) => response.writeHead(302, { location: '/' }).end()),
    says: /redirects more than 3 times/,
    limits: { maxRedirects: 3 },
  },
  redirects: {
    serve: () =>
      serveHttp((_request, response) =>
        response.writeHead(301, { location: 'http://169.254.169.254/' }).end(),
      ),
    says: /redirect \(HTTP 301\) to \S+, which is not followed.*maxRedirects/,
  },
  'redirects to cloud metadata': {
    serve: () =>
      serveHttp((_request, response) =>
        response.writeHead(301, { location: 'http://169.254.169.254/' }).end(),
      ),
    says: /may not connect there/,
    limits: { maxRedirects: 3 },
  },
  'asks to slow down': {
    serve: () =>
      serveHttp((_request, response) =>
        json(response, 429, { message: 'slow down' }, { 'retry-after': '30' }),
      ),
    says: /slow down.*30 s/,
  },
  'answers 401': {
    serve: () => serveHttp((_request, response) => json(response, 401, { error: 'no' })),
    says: /HTTP 401: no.*operator/,
  },
  'answers 500 with a page': {
    serve: () =>
      serveHttp((_request, response) =>
        response
          .writeHead(500, { 'content-type': 'text/html' })
          .end('<html><script>track()</script><h1>Out of stock</h1></html>'),
      ),
    says: /HTTP 500: Out of stock\. The problem is on the API’s side/,
  },
};

beforeAll(async () => {
  control = await serveHttp((_request, response) => json(response, 200, { fine: true }));
  gateway = await startGateway({ egressAllow: ['127.0.0.1'] });
  await register('control', control.origin, {});
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([control.close(), ...closers.map((close) => close())]);
});

async function register(slug: string, baseUrl: string, limits: object, method = 'GET'): Promise<void> {
  const api = await gateway.request('POST', '/api/v1/apis', { slug, baseUrl, limits });
  expect(api.statusCode, api.payload).toBe(201);
  const tool = await gateway.request('POST', '/api/v1/tools', {
    api: slug,
    name: slug,
    description: 'x',
    operation: { method, path: '/', parameters: [] },
  });
  expect(tool.statusCode, tool.payload).toBe(201);
}

async function call(
  name: string,
): Promise<{ result?: { content: { text: string }[] }; error?: { code: number; message: string } }> {
  const answer = await gateway.request(
    'POST',
    '/mcp/tools/call',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
    {},
  );
  return answer.json();
}

describe('an upstream on a bad day', () => {
  it.each(Object.entries(upstreams))(
    'that %s ends in a clear error, and other APIs are not disturbed',
    async (name, { serve, says, limits }) => {
      const upstream = await serve();
      closers.push(() => upstream.close());
      const slug = name.replace(/[^a-z0-9]+/g, '-').slice(0, 40);
      await register(slug, upstream.origin, { totalTimeoutMs: 120_000, maxReplyBytes: 1_000_000, ...limits });
      const bad = Array.from({ length: 5 }, () => call(slug));
      const good = await Promise.all(Array.from({ length: 5 }, () => call('control')));
      for (const answer of good) expect(answer.result?.content[0]?.text).toBe('{"fine":true}');
      for (const answer of await Promise.all(bad)) {
        expect(answer.error?.code).toBe(-32603);
        expect(answer.error?.message).toMatch(says);
        expect(answer.error?.message).not.toMatch(/node_modules|\.ts:|\.js:\d|UND_ERR|undefined/);
      }
    },
  );

  it('that sends for ever is left after little more than the limit', () => {
    expect(written).toBeLessThan(5 * 20_000_000);
  });

  it('that sends invalid UTF-8 is still read, byte by byte', async () => {
    const upstream = await serveTcp(
      raw(
        Buffer.concat([
          Buffer.from(`${okHead}content-length: 4\r\n\r\n`),
          Buffer.from([0x61, 0xff, 0xfe, 0x62]),
        ]),
      ),
    );
    closers.push(() => upstream.close());
    await register('utf', upstream.origin, {});
    expect((await call('utf')).result?.content[0]?.text).toBe('aÿþb');
  });

  it('that flaps is smoothed by retries for a GET, and never asked twice for a POST', async () => {
    let n = 0;
    const upstream = await serveHttp((request, response) =>
      request.resume().on('end', () => json(response, n++ % 2 === 0 ? 503 : 200, {})),
    );
    closers.push(() => upstream.close());
    await register('flapget', upstream.origin, { retries: 3 });
    for (let i = 0; i < 5; i++) expect((await call('flapget')).error).toBeUndefined();
    expect(upstream.seen).toBe(10);
    await register('flappost', upstream.origin, { retries: 3 }, 'POST');
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await call('flappost'));
    expect(upstream.seen).toBe(14);
    expect(answers.filter((answer) => answer.error !== undefined)).toHaveLength(2);
  });

  it('that the caller stops waiting for hears of it', async () => {
    let hungUp = (): void => {};
    const gone = new Promise<void>((resolve) => void (hungUp = resolve));
    let arrived = (): void => {};
    const asked = new Promise<void>((resolve) => void (arrived = resolve));
    const upstream = await serveHttp((request) => {
      request.on('close', hungUp);
      arrived();
    });
    closers.push(() => upstream.close());
    await register('slow', upstream.origin, {});
    const url = await gateway.gateway.listen();
    const caller = new AbortController();
    const pending = fetch(`${url}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'slow', arguments: {} },
      }),
      signal: caller.signal,
    });
    await asked;
    caller.abort();
    await expect(pending).rejects.toThrow('abort');
    await gone;
  });
});

describe('an API that is unhealthy', () => {
  const names = async () =>
    (await gateway.request('GET', '/mcp/tools/list', undefined, {}))
      .json<{ result: { tools: { name: string }[] } }>()
      .result.tools.map((tool) => tool.name);
  const described = async (name: string) => {
    const answer = await gateway.request(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { accept: 'application/json, text/event-stream' },
    );
    const text = answer.payload.startsWith('{')
      ? answer.payload
      : answer.payload.replace(/^[^]*?data: /, '').split('\n', 1)[0]!;
    return (
      JSON.parse(text) as { result: { tools: { name: string; description: string }[] } }
    ).result.tools.find((tool) => tool.name === name)?.description;
  };

  it('is hidden from the REST list and marked in the MCP list, until it answers again or its operator chooses otherwise', async () => {
    let status = 500;
    const upstream = await serveHttp((_request, response) => json(response, status, {}));
    closers.push(() => upstream.close());
    await register('ill', upstream.origin, { breakerFailures: 2, breakerOpenMs: 1 });
    expect(await names()).toContain('ill');
    await call('ill');
    await call('ill');
    expect(await names()).not.toContain('ill');
    expect(await described('ill')).toMatch(/^Currently unavailable/);
    expect((await gateway.request('GET', '/api/v1/apis/ill')).json()).toMatchObject({ healthy: false });
    await gateway.request('PATCH', '/api/v1/apis/ill', { listUnhealthy: true });
    expect(await names()).toContain('ill');
    await gateway.request('PATCH', '/api/v1/apis/ill', { listUnhealthy: false });
    status = 200;
    await expect.poll(async () => (await call('ill')).error).toBeUndefined();
    expect(await names()).toContain('ill');
    expect(await described('ill')).toBe('x');
  });
});
