import { afterEach, describe, expect, it } from 'vitest';
import { createGzip, gzipSync } from 'node:zlib';
import { demoBaseUrl } from '../domain/api.ts';
import { contextWith, requestTo } from '../../test/support/sending.ts';
import { bodyOf, json, serveHttp, serveTcp } from '../../test/support/servers/http-server.ts';
import { lastingPort } from '../../test/support/servers/lasting-port.mjs';
import { createEgressGuard } from './connections/egress.ts';
import { createSend } from './send.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((it) => it.close()));
});

function track<T extends { close(): Promise<void> }>(it: T): T {
  open.push(it);
  return it;
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
      message: expect.stringContaining('not complete in time'),
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
