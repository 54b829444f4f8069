import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthScheme } from '../../../src/domain/auth-scheme.ts';
import { testCredential } from '../../../src/credentials/test-credential.ts';
import { createHealth } from '../../../src/upstream/health.ts';
import { createEgressGuard } from '../../../src/upstream/connections/egress.ts';
import { createFetchGuarded } from '../../../src/upstream/fetch-guarded.ts';
import { apiAt, callingStack, callOf, toolOf } from '../../support/calling.ts';
import { serveHttp, serveTcp } from '../../support/servers/http-server.ts';
import type { TestServer } from '../../support/servers/http-server.ts';

// A listener on every loopback address: whatever reaches it got past the guard.
let canary: { port: number; hits: () => number; close(): void };
let redirector: TestServer;
let stack: ReturnType<typeof callingStack>;
const redirectTo = new Map<string, string>();

beforeAll(async () => {
  let hits = 0;
  const servers: Server[] = [];
  const listen = (port: number, host: string) =>
    new Promise<number>((resolve) => {
      const server = createServer((socket) => {
        hits++;
        socket.destroy();
      });
      servers.push(server);
      server
        .on('error', () => resolve(port))
        .listen(port, host, () => resolve((server.address() as AddressInfo).port));
    });
  const port = await listen(0, '127.0.0.1');
  await listen(port, '::1');
  canary = { port, hits: () => hits, close: () => servers.forEach((server) => server.close()) };
  redirector = await serveHttp((request, response) => {
    const to = redirectTo.get(request.url!.replace(/\/$/, ''));
    if (to === undefined) response.end('{}');
    else response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end();
  });
  // Every name leads to where the attacker wants it.
  stack = callingStack({
    allow: [`127.0.0.1:${redirector.port}`],
    resolveHost: (host, done) =>
      done(
        null,
        host.includes('six')
          ? [{ address: '::1', family: 6 }]
          : [
              { address: '127.0.0.1', family: 4 },
              { address: '10.0.0.1', family: 4 },
            ],
      ),
  });
});

afterAll(async () => {
  canary.close();
  await Promise.all([stack.close(), redirector.close()]);
});

const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '127.0x0.0.1',
  '0',
  '0.0.0.0',
  '00000.0',
  '０x7f.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::]',
  '[2002:7f00:1::]',
  '[2002:7f00:0001::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2001:0:7f00:1::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[0100::1]',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '100.64.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'rebind.attacker.example',
  'six.attacker.example',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'xn--bcher-kva.example',
  'a.b.c.127.0.0.1.nip.example',
];
const urls = () => [
  ...hosts.map((host) => `http://${host}:${canary.port}/`),
  `http://user:pass@127.0.0.1:${canary.port}/`,
  `http://127.0.0.1:${redirector.port}@localhost:${canary.port}/`,
  `http:\\\\127.0.0.1:${canary.port}/`,
  `http://127.0.0.1\t:${canary.port}/`,
];

const login = (url: string): AuthScheme => ({
  kind: 'login',
  method: 'POST',
  url,
  payloadIn: 'json',
  payloadFields: ['a'],
  place: { in: 'header', name: 'x' },
});
const oauth = (rest: object): AuthScheme => ({ kind: 'oauth2', grant: 'client_credentials', ...rest });

/** Every way in which Handrail opens a connection. */
const paths: Record<string, (url: string) => Promise<unknown>> = {
  'a call': (url) => stack.run(callOf(toolOf(apiAt(url)))),
  'a document to import': (url) => stack.fetch({ url, maxRedirects: 5 }),
  'a login': (url) => signIn(login(url), { a: 'secret' }),
  'a token request': (url) => signIn(oauth({ tokenUrl: url }), { clientId: 'a', clientSecret: 'b' }),
  'a discovery': (url) => signIn(oauth({ issuer: url }), { clientId: 'a', clientSecret: 'b' }),
  'a test of a credential': (url) => {
    const api = apiAt(url, { kind: 'bearer' });
    return testCredential(stack.finder.open, stack.fetch, api, stack.store(api, { token: 'secret' }));
  },
  'a redirect of a call': (url) =>
    stack.run(callOf(toolOf(apiAt(redirected(url)), {}, { limits: { maxRedirects: 5 } }))),
  'a redirect of a document': (url) => stack.fetch({ url: redirected(url), maxRedirects: 5 }),
  'a chain of redirects': (url) =>
    stack.fetch({ url: redirected(redirected(redirected(url))), maxRedirects: 5 }),
};

function signIn(auth: AuthScheme, fields: Record<string, string>): Promise<unknown> {
  const api = apiAt(redirector.origin, auth);
  stack.store(api, fields);
  return stack.run(callOf(toolOf(api)));
}

function redirected(url: string): string {
  const path = `/r${redirectTo.size}`;
  redirectTo.set(path, url);
  return redirector.origin + path;
}

describe('the egress guard', () => {
  it('is tried with more than fifty forms of addresses', () => {
    expect(urls().length).toBeGreaterThanOrEqual(60);
  });

  it.each(Object.keys(paths))('lets none of them through: %s', async (path) => {
    const before = canary.hits();
    for (const url of urls()) {
      const result = await paths[path]!(url).catch((error: unknown) => error);
      const shown = JSON.stringify(result, (_key, value: unknown) =>
        value instanceof Error ? { message: value.message } : value,
      );
      expect(shown, url).not.toContain('"ok":true');
    }
    expect(canary.hits()).toBe(before);
  });

  it('lets no probe through', async () => {
    const health = createHealth({ fetch: stack.fetch });
    const before = canary.hits();
    const ill = new Set<string>();
    const apis = hosts
      .map((host) => `http://${host}:${canary.port}`)
      .filter((url) => URL.canParse(url))
      .map((url) => apiAt(url, { kind: 'none' }, { probe: { path: '/', everyMs: 1_000 } }));
    await new Promise<void>((resolve) => {
      health.onChange((apiId) => {
        ill.add(apiId);
        if (ill.size === apis.length) resolve();
      });
      health.follow(apis);
    });
    health.close();
    expect(canary.hits()).toBe(before);
  });

  it('reaches what the operator allowed, by host, address and network', async () => {
    for (const allow of [`127.0.0.1:${redirector.port}`, '127.0.0.0/8', 'localhost']) {
      const { fetch, close } = createFetchGuarded({
        guard: createEgressGuard({ allow: [allow] }),
        now: Date.now,
      });
      const host = allow === 'localhost' ? 'localhost' : '127.0.0.1';
      await expect(fetch({ url: `http://${host}:${redirector.port}/` })).resolves.toMatchObject({
        status: 200,
      });
      await close();
    }
  });

  it('never lets an allowed name lead to cloud metadata', async () => {
    const guard = createEgressGuard({
      allow: ['internal.example'],
      resolveHost: (_host, done) => done(null, [{ address: '169.254.169.254', family: 4 }]),
    });
    const { fetch, close } = createFetchGuarded({ guard, now: Date.now });
    await expect(fetch({ url: 'http://internal.example/' })).rejects.toMatchObject({
      code: 'egress_refused',
    });
    await close();
  });

  it("only narrows by an API's own list", async () => {
    const allowed = callingStack({ allow: ['127.0.0.1'] });
    const call = (egressAllow: string[]) =>
      allowed.run(callOf(toolOf(apiAt(redirector.origin, { kind: 'none' }, { egressAllow }))));
    expect(await call(['127.0.0.1'])).toMatchObject({ kind: 'done' });
    expect(await call(['api.example.com'])).toMatchObject({
      kind: 'failed',
      error: { code: 'egress_refused' },
    });
    expect(await call(['127.0.0.1:1'])).toMatchObject({ kind: 'failed', error: { code: 'egress_refused' } });
    const widened = apiAt(
      `http://127.0.0.1:${canary.port}`,
      { kind: 'none' },
      { egressAllow: ['127.0.0.1'] },
    );
    const before = canary.hits();
    expect(await stack.run(callOf(toolOf(widened)))).toMatchObject({
      kind: 'failed',
      error: { code: 'egress_refused' },
    });
    expect(canary.hits()).toBe(before);
    await allowed.close();
  });

  it('tells a proxy checked addresses only, and goes past it to what is allowed directly', async () => {
    const asked: string[] = [];
    const proxy = await serveTcp((socket) =>
      socket.once('data', (chunk) => {
        asked.push(String(chunk).split('\r\n', 1)[0]!);
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      }),
    );
    const guard = createEgressGuard({
      allow: [],
      proxy: proxy.origin,
      resolveHost: (host, done) =>
        done(null, [{ address: host === 'good.example' ? '8.8.8.8' : '127.0.0.1', family: 4 }]),
    });
    const { fetch, close } = createFetchGuarded({ guard, now: Date.now });
    await expect(fetch({ url: 'https://good.example/' })).rejects.toMatchObject({
      code: 'upstream_unreachable',
      message: expect.stringContaining('proxy'),
    });
    for (const url of [
      'https://evil.example/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://169.254.169.254/',
    ]) {
      await expect(fetch({ url })).rejects.toMatchObject({ code: 'egress_refused' });
    }
    expect(asked).toEqual(['CONNECT 8.8.8.8:443 HTTP/1.1']);
    await Promise.all([close(), proxy.close()]);
  });
});
