import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createGzip, gzipSync } from 'node:zlib';
import { demoBaseUrl } from '../domain/api.ts';
import { contextWith, requestTo } from '../../test/support/sending.ts';
import { bodyOf, json, serveHttp, serveTcp } from '../../test/support/servers/http-server.ts';
import { lastingPort } from '../../test/support/servers/lasting-port.mjs';
import { createEgressGuard } from './connections/egress.ts';
import { createSend } from './send.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((closable) => closable.close()));
});

function track<T extends { close(): Promise<void> }>(closable: T): T {
  open.push(closable);
  return closable;
}

const sender = (allow: string[] = ['127.0.0.1'], demo?: () => string | null) =>
  track(createSend({ guard: createEgressGuard({ allow }), now: Date.now, ...(demo && { demo }) })).send;

describe('send', () => {
  it('sends method, path, headers and body, and returns the decoded reply', async () => {
    const server = track(
      await serveHttp(async (request, response) => {
        const text = await bodyOf(request);
        response.setHeader('content-encoding', 'gzip').setHeader('set-cookie', ['a=1', 'b=2']);
        response.end(
          gzipSync(
            JSON.stringify({
              method: request.method,
              url: request.url,
              type: request.headers['content-type'],
              text,
            }),
          ),
        );
      }),
    );
    const reply = await sender()(
      requestTo(`${server.origin}/a/b?c=d`, {
        method: 'POST',
        body: { contentType: 'text/plain', content: 'hé' },
      }),
      contextWith(),
    );
    expect(reply.status).toBe(200);
    expect(JSON.parse(Buffer.from(reply.body).toString())).toEqual({
      method: 'POST',
      url: '/a/b?c=d',
      type: 'text/plain',
      text: 'hé',
    });
    expect(reply.headers['set-cookie']).toBe('a=1, b=2');
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(reply).toMatchObject({ tries: 1, cached: false });
  });

  it('returns the gRPC status that follows a body among its headers', async () => {
    const server = track(
      await serveHttp((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', trailer: 'grpc-status, grpc-message' });
        response.write('{}');
        response.addTrailers({ 'grpc-status': '5', 'grpc-message': 'no%20order', 'x-other': '1' });
        response.end();
      }),
    );
    const { headers } = await sender()(requestTo(`${server.origin}/`), contextWith());
    expect(headers).toMatchObject({ 'grpc-status': '5', 'grpc-message': 'no%20order' });
    expect(headers).not.toHaveProperty('x-other');
  });

  it.each([
    ['as it is', false],
    ['compressed', true],
  ])('keeps what an endless stream has sent when its time is over, %s', async (_how, zipped) => {
    const server = track(
      await serveHttp((_request, response) => {
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          ...(zipped && { 'content-encoding': 'gzip' }),
        });
        if (!zipped) {
          response.write('data: 1\n\n');
          return;
        }
        const zip = createGzip();
        zip.pipe(response);
        zip.write('data: 1\n\n');
        zip.flush();
      }),
    );
    const reply = await sender()(requestTo(server.origin), contextWith({ totalTimeoutMs: 300 }));
    expect(Buffer.from(reply.body).toString()).toBe('data: 1\n\n');
    expect(reply.cut).toBe('time');
  });

  it('keeps the beginning of a stream that is larger than it may be', async () => {
    const server = track(
      await serveHttp((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        for (let n = 0; n < 100; n++) response.write(`{"n":${n},"x":"${'x'.repeat(1_000)}"}\n`);
      }),
    );
    const reply = await sender()(requestTo(server.origin), contextWith({ maxReplyBytes: 50_000 }));
    expect(reply.cut).toBe('size');
    expect(Buffer.from(reply.body).toString()).toMatch(/^{"n":0,/);
    expect(reply.body.byteLength).toBeLessThanOrEqual(50_000);
  });

  it('ends a slow drip at the deadline', async () => {
    let nowMs = 0;
    const server = track(
      await serveHttp((_request, response) => {
        response.writeHead(200);
        const drip = setInterval(() => {
          response.write('x');
          nowMs += 10;
        }, 5);
        response.on('close', () => clearInterval(drip));
      }),
    );
    const { send } = track(
      createSend({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: () => nowMs }),
    );
    await expect(send(requestTo(server.origin), contextWith({}, { deadlineMs: 200 }))).rejects.toMatchObject({
      code: 'upstream_timeout',
      message: expect.stringContaining('did not finish in time'),
    });
  });

  it('cancels the upstream request when the caller goes away', async () => {
    let requestClosed = (): void => {};
    const gone = new Promise<void>((resolve) => (requestClosed = resolve));
    const caller = new AbortController();
    const server = track(
      await serveHttp((request) => {
        request.on('close', requestClosed);
        caller.abort();
      }),
    );
    await expect(
      sender()(requestTo(server.origin), contextWith({}, { signal: caller.signal })),
    ).rejects.toMatchObject({ code: 'cancelled' });
    await gone;
  });

  it('stops a gzip bomb at the decoded cap', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const server = track(
      await serveHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb)),
    );
    await expect(
      sender()(requestTo(server.origin), contextWith({ maxReplyBytes: 100_000 })),
    ).rejects.toMatchObject({ code: 'reply_too_large' });
  });

  it('stops an endless body at the cap', async () => {
    const server = track(
      await serveHttp((_request, response) => {
        const chunk = Buffer.alloc(65_536);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
      }),
    );
    await expect(
      sender()(requestTo(server.origin), contextWith({ maxReplyBytes: 1_000_000 })),
    ).rejects.toMatchObject({ code: 'reply_too_large' });
  });

  it('says that nothing was sent when the upstream refuses connections', async () => {
    const origin = `http://127.0.0.1:${await lastingPort()}`;
    await expect(sender()(requestTo(origin), contextWith())).rejects.toMatchObject({
      code: 'upstream_unreachable',
      details: { notSent: true },
    });
  });

  it('refuses a hundred thousand headers', async () => {
    const server = track(
      await serveTcp((socket) =>
        socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${'x-h: y\r\n'.repeat(100_000)}\r\n`)),
      ),
    );
    await expect(sender()(requestTo(server.origin), contextWith())).rejects.toMatchObject({
      code: 'reply_invalid',
    });
  });

  it('has as many requests under way at one origin as calls may run at once', async () => {
    const held: (() => void)[] = [];
    const server = track(
      await serveHttp(async (_request, response) => {
        await new Promise<void>((resolve) => {
          held.push(resolve);
          if (held.length === 300) for (const go of held) go();
        });
        response.end('all were here');
      }),
    );
    const send = sender();
    const replies = await Promise.all(
      Array.from({ length: 300 }, () => send(requestTo(server.origin), contextWith({ maxConcurrent: 300 }))),
    );
    expect(replies.every(({ status }) => status === 200)).toBe(true);
  });

  describe('when an API closes kept connections just as they are used again, while another API hangs', () => {
    const calls = 8;
    /** How many requests an API saw that it never answered. */
    let unanswered: number;
    let send: ReturnType<typeof sender>;
    let origin: string;
    let hung: AbortController;
    let waiting: Promise<unknown>;

    afterEach(async () => {
      hung.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    });

    beforeEach(async () => {
      unanswered = 0;
      // It promises to keep connections, and keeps none for a second request.
      const closing = track(
        await serveTcp((socket) => {
          let requests = 0;
          socket.on('data', () => {
            if (++requests > 1) {
              unanswered++;
              socket.destroy();
            } else {
              socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 2\r\n\r\nok');
            }
          });
        }),
      );
      const hanging = track(await serveTcp((socket) => void socket.on('data', () => {})));
      send = sender();
      ({ origin } = closing);
      hung = new AbortController();
      waiting = send(requestTo(hanging.origin), contextWith({}, { signal: hung.signal }));
      await all('GET');
    });

    const all = (method: string) =>
      Promise.allSettled(
        Array.from({ length: calls }, () => send(requestTo(origin, { method }), contextWith())),
      );

    it.each(['GET', 'PUT', 'DELETE'])('sends %s once more, by another connection', async (method) => {
      const replies = await all(method);
      expect(replies.map(({ status }) => status)).toEqual(Array(calls).fill('fulfilled'));
      expect(unanswered).toBeGreaterThan(0);
      const tries = replies.map((reply) => (reply.status === 'fulfilled' ? reply.value.tries : 0));
      expect(tries.reduce((sum, one) => sum + one - 1, 0)).toBe(unanswered);
    });

    it('does not send POST again, which may have had an effect', async () => {
      const replies = await all('POST');
      const failed = replies.filter(({ status }) => status === 'rejected');
      expect(failed).not.toEqual([]);
      expect(unanswered).toBe(failed.length);
    });
  });

  it.each(['GET', 'POST'])(
    'sends %s by a new connection when the kept one was reset before anything left',
    async (method) => {
      const sockets = new Set<Socket>();
      const waiting: ServerResponse[] = [];
      const server = track(
        await serveHttp((request, response) => {
          sockets.add(request.socket);
          waiting.push(response);
          // All at once, so that each has a connection of its own.
          if (waiting.length === 8) waiting.splice(0).forEach((one) => json(one, 200, { fine: true }));
        }),
      );
      const send = sender();
      const all = () =>
        Promise.all(
          Array.from({ length: 8 }, () => send(requestTo(server.origin, { method }), contextWith())),
        );
      await all();
      expect(sockets.size).toBe(8);
      // In one turn, and before sockets are read again: their ends are on the way, and nobody here knows of them.
      await new Promise((resolve) => setImmediate(resolve));
      for (const socket of sockets) socket.resetAndDestroy();
      const replies = await all();
      expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(server.seen).toBe(16);
    },
  );

  it('does not send again what an API closes a new connection on', async () => {
    let requests = 0;
    const server = track(
      await serveTcp((socket) => {
        socket.on('data', () => {
          requests++;
          socket.destroy();
        });
      }),
    );
    await expect(sender()(requestTo(server.origin), contextWith())).rejects.toMatchObject({
      code: 'upstream_unreachable',
    });
    expect(requests).toBe(1);
  });

  it('reaches its own listener for the built-in API only', async () => {
    const server = track(await serveHttp((_request, response) => json(response, 200, { demo: true })));
    const send = sender([], () => server.origin);
    await expect(
      send(requestTo(demoBaseUrl), contextWith({}, { api: { builtIn: true } })),
    ).resolves.toMatchObject({ status: 200 });
    await expect(send(requestTo(demoBaseUrl), contextWith())).rejects.toMatchObject({
      code: 'egress_refused',
    });
    expect(server.seen).toBe(1);
  });
});
