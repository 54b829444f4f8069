import { afterEach, describe, expect, it } from 'vitest';
import { json, serveHttp } from '../../test/support/servers/http-server.ts';
import { createEgressGuard } from './connections/egress.ts';
import { createFetchGuarded } from './fetch-guarded.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(listener: Parameters<typeof serveHttp>[0]) {
  const server = await serveHttp(listener);
  closers.push(server.close);
  return server;
}

function guarded(allow: string[]) {
  const { fetch, close } = createFetchGuarded({ guard: createEgressGuard({ allow }), now: Date.now });
  closers.push(close);
  return fetch;
}

describe('fetchGuarded', () => {
  it('sends nothing to a host that cannot be one, also not after a redirect', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://a"b/' }).end(),
    );
    const fetch = guarded(['127.0.0.1']);
    await expect(fetch({ url: 'https://a"b/' })).rejects.toThrow('"a\\"b" is not a valid host name');
    await expect(fetch({ url: server.origin, maxRedirects: 2 })).rejects.toThrow('is not a valid host name');
  });

  it('hands a redirect back unless told to follow', async () => {
    const server = await serve((_request, response) => response.writeHead(302, { location: '/next' }).end());
    const reply = await guarded(['127.0.0.1'])({ url: server.origin });
    expect(reply.status).toBe(302);
    expect(server.seen).toBe(1);
  });

  it('drops what identifies the sender when a redirect leaves the origin', async () => {
    const other = await serve((request, response) => json(response, 200, request.headers));
    const first = await serve((_request, response) =>
      response.writeHead(307, { location: `${other.origin}/x` }).end(),
    );
    const reply = await guarded(['127.0.0.1'])({
      url: first.origin,
      headers: { authorization: 'Bearer s3cret', 'x-api-key': 's3cret', accept: 'application/json' },
      maxRedirects: 2,
    });
    const seen = JSON.parse(reply.body.toString()) as Record<string, string>;
    expect(seen['authorization']).toBeUndefined();
    expect(seen['x-api-key']).toBeUndefined();
    expect(seen['accept']).toBe('application/json');
    expect(reply.url).toBe(`${other.origin}/x`);
  });

  it('checks every hop of a redirect chain', async () => {
    const canary = await serve((_request, response) => json(response, 200, {}));
    const first = await serve((_request, response) =>
      response.writeHead(302, { location: canary.origin }).end(),
    );
    await expect(
      guarded([`127.0.0.1:${first.port}`])({ url: first.origin, maxRedirects: 5 }),
    ).rejects.toMatchObject({
      code: 'egress_refused',
    });
    expect(canary.seen).toBe(0);
  });

  it.each([
    'file:///etc/passwd',
    'data:text/plain,x',
    'ftp://example.com/',
    'javascript:1',
    'ws://127.0.0.1/',
    'about:blank',
  ])('refuses to be redirected to %s', async (location) => {
    const server = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(guarded(['127.0.0.1'])({ url: server.origin, maxRedirects: 3 })).rejects.toMatchObject({
      code: 'upstream_redirect',
      message: expect.stringContaining('only http and https'),
    });
    expect(server.seen).toBe(1);
  });

  it('ends a redirect loop', async () => {
    const server = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(guarded(['127.0.0.1'])({ url: server.origin, maxRedirects: 3 })).rejects.toMatchObject({
      code: 'upstream_redirect',
    });
    expect(server.seen).toBe(4);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/x', 'gopher://example.com', 'data:text/plain,x'])(
    'refuses %s',
    async (url) => {
      await expect(guarded([])({ url })).rejects.toMatchObject({ code: 'egress_refused' });
    },
  );

  it('refuses a password in the address', async () => {
    await expect(guarded([])({ url: 'https://user:pass@example.com/' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});
