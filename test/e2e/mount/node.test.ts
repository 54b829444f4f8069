import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { handrail, type Handrail } from '../../../src/mount/handrail.ts';
import { fetchFromRoutes } from '../../../src/mount/next.ts';
import { fetchFromInject, fetchFromListener } from '../../../src/mount/node.ts';

const about = { tool: 'one', host: {} };
const get = (path: string, init: RequestInit = {}) => new Request(`http://app.test${path}`, init);

describe('an app that takes Node’s request and response', () => {
  const ask = async (listener: (req: IncomingMessage, res: ServerResponse) => unknown, request = get('/')) =>
    fetchFromListener(listener)(request, about);

  it('sees the method, URL, headers and body that were sent', async () => {
    const body = JSON.stringify({ a: 'ü' });
    const answer = await ask(
      (req, res) => {
        const pieces: Buffer[] = [];
        req.on('data', (piece: Buffer) => pieces.push(piece));
        req.on('end', () => {
          res.setHeader('x-seen', [req.method, req.url, req.headers['host'], req.headers['x-a']].join(' '));
          res.end(Buffer.concat(pieces));
        });
      },
      get('/a?b=c', { method: 'PUT', headers: { 'x-a': '1' }, body }),
    );
    expect(answer.headers.get('x-seen')).toBe('PUT /a?b=c app.test 1');
    expect(await answer.text()).toBe(body);
  });

  it('sends the headers of writeHead in each of its forms, and cookies one by one', async () => {
    for (const headers of [{ 'x-a': '1' }, ['x-a', '1'], [['x-a', '1']]]) {
      const answer = await ask((_req, res) => {
        res.setHeader('set-cookie', ['a=1', 'b=2']);
        res.writeHead(201, 'Made', headers as never).end();
      });
      expect([answer.status, answer.statusText, answer.headers.get('x-a')]).toEqual([201, 'Made', '1']);
      expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    }
  });

  it('streams, waits for a slow reader, and hears when it leaves', async () => {
    let leave!: () => void;
    const gone = new Promise<void>((resolve) => (leave = resolve));
    let drained = 0;
    const answer = await ask((_req, res) => {
      const more = () => {
        while (!res.destroyed && res.write('x'.repeat(10_000)));
        res.once('drain', () => {
          drained++;
          more();
        });
      };
      res.once('close', () => leave());
      more();
    });
    const reader = answer.body!.getReader();
    for (let n = 0; n < 30; n++) await reader.read();
    await sleep(1);
    expect(drained).toBeGreaterThan(0);
    await reader.cancel();
    await gone;
  });

  it('fails the call, not the process, when it throws before or after its head', async () => {
    await expect(ask(() => Promise.reject(new Error('before')))).rejects.toThrow('before');
    await expect(
      ask(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    const answer = await ask(async (_req, res) => {
      res.write('some');
      await sleep(1);
      throw new Error('after');
    });
    await expect(answer.text()).rejects.toThrow('after');
    await expect(ask((_req, res) => void res.destroy())).rejects.toThrow('closed the response');
  });

  it('emits finish and close, answers HEAD and 304 without a body, and works with a replaced prototype', async () => {
    const events: string[] = [];
    const answer = await ask((_req, res) => {
      Object.setPrototypeOf(res, Object.create(Object.getPrototypeOf(res) as object));
      res.once('finish', () => events.push('finish')).once('close', () => events.push('close'));
      res.end('ok', () => events.push('done'));
    });
    expect(await answer.text()).toBe('ok');
    await expect.poll(() => events).toEqual(['finish', 'done', 'close']);
    const head = await ask((_req, res) => res.end('ok'), get('/', { method: 'HEAD' }));
    expect(await head.text()).toBe('');
    const unchanged = await ask((_req, res) => void res.writeHead(304).end());
    expect([unchanged.status, unchanged.body]).toEqual([304, null]);
  });

  it('aborts what it was doing when the caller leaves', async () => {
    const leaving = new AbortController();
    let close!: (isDestroyed: boolean) => void;
    const closed = new Promise<boolean>((resolve) => (close = resolve));
    const asked = ask(
      (req, res) => {
        res.once('close', () => close(req.destroyed));
        leaving.abort();
      },
      get('/', { signal: leaving.signal }),
    );
    await expect(asked).rejects.toThrow('closed the response');
    expect(await closed).toBe(true);
  });
});

describe('the routes of a Next app', () => {
  const fetchRoute = fetchFromRoutes({
    '/api/books': { GET: () => new Response('list'), POST: () => new Response('made') },
    '/api/books/[id]': {
      GET: async (_request: Request, { params }: { params: Promise<{ id: string }> }) =>
        new Response((await params).id),
    },
    '/api/books/new': { GET: () => new Response('form') },
    '/(shop)/api/files/[...path]': {
      GET: async (_request: Request, { params }: { params: Promise<{ path: string[] }> }) =>
        Response.json((await params).path),
    },
    '/api/docs/[[...path]]': {
      GET: async (_request: Request, { params }: { params: Promise<{ path?: string[] }> }) =>
        Response.json((await params).path ?? null),
    },
  });
  const told = async (path: string, method = 'GET') => {
    const answer = await fetchRoute(get(path, { method }), about);
    return `${answer.status} ${await answer.text()}`;
  };

  it('answer by path and method, the more specific first', async () => {
    expect(await told('/api/books')).toBe('200 list');
    expect(await told('/api/books', 'POST')).toBe('200 made');
    expect(await told('/api/books', 'HEAD')).toBe('200 ');
    expect(await told('/api/books', 'DELETE')).toBe('405 ');
    expect(await told('/api/books/a%20b')).toBe('200 a b');
    expect(await told('/api/books/new')).toBe('200 form');
    expect(await told('/api/files/a/b')).toBe('200 ["a","b"]');
    expect(await told('/api/docs')).toBe('200 null');
    expect(await told('/api/docs/a')).toBe('200 ["a"]');
    expect(await told('/api/none')).toBe('404 ');
  });
});

describe('mounted behind a server', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  const document = {
    openapi: '3.0.0',
    info: { title: 'One', version: '1' },
    paths: { '/one': { get: { operationId: 'one', responses: { 200: { description: 'OK' } } } } },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one' } });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };

  async function listen(listener: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<string> {
    const server = createServer((req, res) => void listener(req, res)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  async function mount(): Promise<Handrail> {
    const mcp = await handrail({ document, explorer: true, fetch: () => Response.json({ one: 1 }) });
    closers.push(() => mcp.close());
    return mcp;
  }

  it('answers on node:http, also with a body that a parser read, and its explorer', async () => {
    const mcp = await mount();
    const url = await listen((req, res) => mcp.node(req, res));
    expect(await (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text()).toContain('one');
    const page = await fetch(`${url}/mcp/explorer`);
    expect(await page.text()).toContain('</html>');
    const call = await fetch(`${url}/mcp/explorer/tools/one/call`, { method: 'POST', headers, body: '{}' });
    expect(await call.json()).toMatchObject({ isError: false });
    const parsed = await listen(async (req, res) => {
      const pieces: Buffer[] = [];
      for await (const piece of req) pieces.push(piece as Buffer);
      const given = JSON.parse(Buffer.concat(pieces).toString()) as object;
      await mcp.node(Object.assign(req, { body: given }), res);
    });
    expect(await (await fetch(parsed, { method: 'POST', headers, body })).text()).toContain('one');
    const consumed = await listen(async (req, res) => {
      for await (const _piece of req);
      await mcp.node(req, res);
    });
    const refused = await fetch(consumed, { method: 'POST', headers, body });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('body parser')]);
  });

  it('is a Fastify plugin whose calls go through inject, with hooks and streams', async () => {
    const app = Fastify();
    const hooked: string[] = [];
    app.addHook('onRequest', async (request) => void hooked.push(request.url));
    app.get('/one', async (_request, reply) => reply.header('x-a', '1').send({ one: 1 }));
    const mcp = await handrail({ document, fetch: fetchFromInject(app) });
    app.register(mcp.fastify, { path: '/mcp', host: () => ({ tenant: 'acme' }) });
    closers.push(
      () => mcp.close(),
      () => app.close(),
    );
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
    expect(await answer.text()).toContain('\\"one\\":1');
    expect(hooked).toEqual(['/mcp', '/one']);
  });
});
