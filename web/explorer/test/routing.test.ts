import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { buildUIRoutes, createHandler, createNodeHandler } from '../dist/index.js';
import type { NodeHandlerConfig, ToolCallHandler } from '../dist/index.js';

const tools = [{ name: 'echo', description: '', inputSchema: { type: 'object' } }];
const sayBack: ToolCallHandler = async (_name, args) => [
  [{ type: 'text', text: JSON.stringify(args) }],
  false,
];
const handle = createHandler(tools, sayBack, { allowExecute: true });

function ask(path: string, method = 'GET', prefix?: string) {
  return handle(new Request(`http://localhost${path}`, { method }), prefix);
}

describe('methods', () => {
  it('answers HEAD as GET without the body', async () => {
    for (const path of ['/', '/tools', '/tools/echo']) {
      const [head, get] = [await ask(path, 'HEAD'), await ask(path)];
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(await head.text()).toBe('');
    }
    expect((await ask('/tools/nope', 'HEAD')).status).toBe(404);
  });

  it.each([
    ['/', 'GET, HEAD, OPTIONS'],
    ['/tools', 'GET, HEAD, OPTIONS'],
    ['/tools/echo', 'GET, HEAD, OPTIONS'],
    ['/tools/echo/call', 'POST, OPTIONS'],
    ['/tools/echo/validate', 'POST, OPTIONS'],
  ])('answers OPTIONS and wrong methods on %s with the allowed ones', async (path, allow) => {
    const options = await ask(path, 'OPTIONS');
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
    const wrong = await ask(path, 'DELETE');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, allow]);
    expect(await wrong.json()).toEqual({ error: 'Method not allowed: DELETE' });
  });
});

describe('paths', () => {
  it.each([
    ['/nope'],
    ['/tools/echo/run'],
    ['/tools/echo/call/again'],
    ['/tools//call'],
    ['/toolsx'],
    ['//tools/x/y/z/w'],
  ])('answers 404 as JSON on %s', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('ignores a trailing slash and a query', async () => {
    expect((await ask('/tools/')).status).toBe(200);
    expect((await ask('/tools/echo/?x=/call')).status).toBe(200);
  });

  it('answers 404 for malformed percent-encoding', async () => {
    const answer = await ask('/tools/%E0%A4%A');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: 'Tool not found: %E0%A4%A' });
  });

  it.each([['/explorer'], ['/explorer/'], ['explorer'], ['//explorer//']])(
    'serves below the prefix %j and nowhere else',
    async (prefix) => {
      expect((await ask('/explorer', 'GET', prefix)).headers.get('content-type')).toContain('text/html');
      expect((await ask('/explorer/', 'GET', prefix)).headers.get('content-type')).toContain('text/html');
      expect((await ask('/explorer/tools?x=1', 'GET', prefix)).status).toBe(200);
      expect((await ask('/explorers/tools', 'GET', prefix)).status).toBe(404);
      expect((await ask('/tools', 'GET', prefix)).status).toBe(404);
    },
  );

  it('accepts a prefix of several segments, encoded or not', async () => {
    expect((await ask('/a%20b/c/tools', 'GET', '/a b/c')).status).toBe(200);
    expect((await ask('/a%20b/c/tools', 'GET', '/a%20b/c')).status).toBe(200);
  });

  it('treats the root as no prefix', async () => {
    expect((await ask('/tools', 'GET', '/')).status).toBe(200);
    expect((await ask('/tools', 'GET', '')).status).toBe(200);
  });
});

describe('createHandler', () => {
  it('lets hooks read headers as a record and as web headers, and find the arguments', async () => {
    const seen: unknown[] = [];
    const guarded = createHandler(tools, sayBack, {
      allowExecute: true,
      authHook: (request, next) => {
        const asWeb = request.headers as unknown as Headers;
        seen.push(
          request.headers['x-user'],
          asWeb.get('X-User'),
          asWeb.has('x-none'),
          asWeb.get('x-none'),
          request.body,
        );
        return next();
      },
    });
    const init = { method: 'POST', headers: { 'X-User': 'ada' }, body: '{"a":1}' };
    await guarded(new Request('http://localhost/tools/echo/call', init));
    expect(seen).toEqual(['ada', 'ada', false, null, { a: 1 }]);
  });
});

describe('createNodeHandler', () => {
  async function withServer(
    config: NodeHandlerConfig,
    run: (port: number) => Promise<void>,
    before: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined,
  ) {
    const handler = createNodeHandler(tools, sayBack, { allowExecute: true, ...config });
    const server = createServer((request, response) => {
      void Promise.resolve(before(request, response)).then(() => handler(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await run((server.address() as AddressInfo).port);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it.each([['/explorer'], ['/explorer/']])('serves below the prefix %j', async (prefix) => {
    await withServer({ prefix }, async (port) => {
      expect((await fetch(`http://127.0.0.1:${port}/explorer/tools?x=1`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/explorer`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/tools`)).status).toBe(404);
    });
  });

  it('accepts the mount path that Express has removed', async () => {
    await withServer(
      { prefix: '/explorer' },
      async (port) => {
        expect((await fetch(`http://127.0.0.1:${port}/explorer/tools`)).status).toBe(200);
      },
      (request) => {
        request.url = request.url?.replace('/explorer', '');
        Object.assign(request, { baseUrl: '/explorer' });
      },
    );
  });

  it.each([
    ['an object', { a: 1 }],
    ['a string', '{"a":1}'],
    ['bytes', Buffer.from('{"a":1}')],
  ])('takes a body that a parser has left as %s', async (_kind, body) => {
    await withServer(
      {},
      async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/tools/echo/call`, {
          method: 'POST',
          body: '{"a":1}',
        });
        expect(await answer.json()).toMatchObject({ content: [{ text: '{"a":1}' }] });
      },
      async (request) => {
        for await (const _chunk of request) continue;
        Object.assign(request, { body });
      },
    );
  });

  it('reads the body itself when a parser has left only an empty object', async () => {
    await withServer(
      {},
      async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/tools/echo/call`, {
          method: 'POST',
          body: '{"a":1}',
        });
        expect(await answer.json()).toMatchObject({ content: [{ text: '{"a":1}' }] });
      },
      (request) => Object.assign(request, { body: {} }),
    );
  });

  it.each([['//evil.example/tools'], ['http://evil.example/tools'], ['*'], ['/tools/%']])(
    'stays up on the target %s',
    async (target) => {
      await withServer({}, async (port) => {
        const status = await new Promise<string>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () =>
            socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
          );
          socket.once('data', (chunk) => resolve(chunk.toString().slice(9, 12)));
          socket.once('error', reject);
        });
        expect(['200', '404']).toContain(status);
        expect((await fetch(`http://127.0.0.1:${port}/tools`)).status).toBe(200);
      });
    },
  );

  it('needs only the documented parts of request and response', async () => {
    const answered = await new Promise<[number, unknown]>((resolve) => {
      let status = 0;
      const response = {
        writeHead: (code: number) => (status = code),
        end: (chunk?: string | Uint8Array) => resolve([status, JSON.parse(String(chunk))]),
      };
      const handler = createNodeHandler(tools, sayBack, { allowExecute: true });
      handler({ method: 'POST', url: '/tools/echo/call', headers: {}, body: { a: 1 } } as never, response);
    });
    expect(answered).toEqual([200, { content: [{ type: 'text', text: '{"a":1}' }], isError: false }]);
  });

  it('overrides an earlier policy that would block the page', async () => {
    await withServer(
      {},
      async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/`);
        expect(answer.headers.get('content-security-policy')).toContain('sha256-');
        expect(answer.headers.get('content-length')).toBe(String((await answer.arrayBuffer()).byteLength));
      },
      (_request, response) => response.setHeader('Content-Security-Policy', "script-src 'self'"),
    );
  });

  it('rejects an endless body without reading all of it', async () => {
    await withServer({ maxBodyBytes: 1000 }, async (port) => {
      let sent = 0;
      const endless = new ReadableStream({
        pull(controller) {
          if (sent++ > 5000) controller.close();
          else controller.enqueue(new Uint8Array(1024));
        },
      });
      const answer = await fetch(`http://127.0.0.1:${port}/tools/echo/call`, {
        method: 'POST',
        body: endless,
        duplex: 'half',
      } as RequestInit);
      expect(answer.status).toBe(413);
    });
  });

  it('aborts the handler’s signal when the caller disconnects', async () => {
    let aborted: Promise<void> | undefined;
    let started: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    const handler: ToolCallHandler = async (_name, _args, request) => {
      aborted = new Promise((resolve) => request.signal?.addEventListener('abort', () => resolve()));
      started();
      await aborted;
      return [[], false];
    };
    const server = createServer(createNodeHandler(tools, handler, { allowExecute: true }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const cancel = new AbortController();
    const call = fetch(`http://127.0.0.1:${port}/tools/echo/call`, {
      method: 'POST',
      signal: cancel.signal,
    }).catch(() => 'gone');
    await running;
    cancel.abort();
    expect(await call).toBe('gone');
    await aborted;
    server.closeAllConnections();
    server.close();
  });
});

describe('buildUIRoutes', () => {
  const routes = buildUIRoutes(tools, sayBack, { allowExecute: true });
  const call = routes.find((route) => route.pattern === '/tools/:name/call');

  it('has the five routes of the contract', () => {
    expect(routes.map(({ method, pattern }) => `${method} ${pattern}`)).toEqual([
      'GET /',
      'GET /tools',
      'GET /tools/:name',
      'POST /tools/:name/validate',
      'POST /tools/:name/call',
    ]);
  });

  it.each([
    ['an object', { a: 1 }, '{"a":1}'],
    ['a string', '{"a":1}', '{"a":1}'],
    ['a buffer', Buffer.from('{"a":1}'), '{"a":1}'],
    ['an array buffer', new TextEncoder().encode('{"a":1}').buffer, '{"a":1}'],
    ['a stream', new Response('{"a":1}').body, '{"a":1}'],
    ['null', null, '{}'],
    ['nothing', undefined, '{}'],
    ['an array', [1], '{}'],
  ])('takes a body given as %s', async (_kind, body, args) => {
    const answer = await call?.handler({ headers: {}, body }, { name: 'echo' });
    expect(await answer?.json()).toMatchObject({ content: [{ text: args }] });
  });

  it('passes the original request to hook and handler', async () => {
    const seen: unknown[] = [];
    const [, , , , guarded] = buildUIRoutes(
      tools,
      async (_name, _args, request) => (seen.push(request), [[], false]),
      {
        allowExecute: true,
        authHook: (request, next) => (seen.push(request), next()),
      },
    );
    const request = { headers: {}, body: '{}', user: 'ada' };
    await guarded?.handler(request, { name: 'echo' });
    expect(seen).toEqual([request, request]);
    expect(seen[0]).toBe(request);
  });
});
