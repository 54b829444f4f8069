import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const secret = 'a-client-secret-to-look-for';

describe('the client that asks about tokens', () => {
  let at: TestGateway;
  let issuer: TestServer;
  let shown: string | undefined;
  const policy = () => ({
    kind: 'oauth',
    issuer: issuer.origin,
    audience: ['urn:tools'],
    introspection: { url: `${issuer.origin}/introspect`, clientId: 'gateway' },
  });
  const withSecret = () => ({
    ...policy(),
    introspection: { ...policy().introspection, clientSecret: secret },
  });

  beforeAll(async () => {
    issuer = await serveHttp(async (req, res) => {
      req.resume();
      await once(req, 'end');
      shown = Buffer.from(req.headers.authorization?.slice(6) ?? '', 'base64').toString();
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ active: true, sub: 'ann', aud: 'urn:tools' }));
    });
    at = await startGateway({ egressAllow: ['127.0.0.1'] });
  });
  afterAll(async () => {
    await at.close();
    await issuer.close();
  });

  const server = (method: string, path: string, body?: object) =>
    at.request(method, `/api/v1/servers${path}`, body);
  let tokens = 0;
  const enter = async (slug: string) => {
    shown = undefined;
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { authorization: `Bearer token-${tokens++}` };
    return (await at.request('POST', `/mcp/${slug}`, body, headers)).statusCode;
  };

  it('has a secret that goes in and does not come out', async () => {
    const made = await server('POST', '', { slug: 'one', tools: '*', policy: withSecret() });
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({ policy: policy() });
    const places = ['/servers/one', '/servers', '/audit', '/export'].map((path) =>
      at.request('GET', `/api/v1${path}`),
    );
    for (const text of [made.body, ...(await Promise.all(places)).map(({ body }) => body)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toMatch(/"sealed":"v1\./);
    }
    expect((await at.request('GET', '/api/v1/export')).body).toContain('"clientId":"gateway"');
    for (const file of readdirSync(at.dataDir, { withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(at.dataDir, file.name)).includes(secret)).toBe(false);
    expect([await enter('one'), shown]).toEqual([200, `gateway:${secret}`]);
  });

  it('keeps its secret when something else is edited, and through a new master key', async () => {
    await server('PATCH', '/one', { policy: { ...policy(), scopes: [] } });
    expect([await enter('one'), shown]).toEqual([200, `gateway:${secret}`]);
    const rotated = await at.request('POST', '/api/v1/credentials/rotate-key', { lostKey: false });
    expect(rotated.json()).toMatchObject({ resealed: 1, unreadable: [] });
    await server('PATCH', '/one', { policy: policy() });
    expect([await enter('one'), shown]).toEqual([200, `gateway:${secret}`]);
  });

  it.each([
    ['another issuer', { issuer: 'https://other.example.com' }, {}],
    ['another address', {}, { url: 'https://other.example.com/introspect' }],
    ['another client', {}, { clientId: 'other' }],
  ])('is asked for its secret again for %s', async (_what, more, asked) => {
    const moved = { ...policy(), ...more, introspection: { ...policy().introspection, ...asked } };
    const answer = await server('PATCH', '/one', { policy: moved });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      problems: [{ path: '/policy/introspection/clientSecret', message: 'is required' }],
    });
  });

  it('has no secret on an installation that an export was brought to, until it is entered there', async () => {
    await at.request('POST', '/api/v1/apis', { slug: 'api', baseUrl: issuer.origin });
    const document = (await at.request('GET', '/api/v1/export')).body;
    const other = await startGateway({ egressAllow: ['127.0.0.1'] });
    try {
      const imported = await other.request('POST', '/api/v1/imports', { text: document });
      expect(imported.statusCode, imported.body).toBeLessThan(300);
      const ask = (token: string) =>
        other.request(
          'POST',
          '/mcp/one',
          { jsonrpc: '2.0', id: 1, method: 'tools/list' },
          { authorization: `Bearer ${token}` },
        );
      const refused = await ask('t');
      expect(refused.statusCode).toBeGreaterThanOrEqual(400);
      expect(refused.body).toContain('was not entered');
      await other.request('PATCH', '/api/v1/servers/one', { policy: withSecret() });
      expect((await ask('u')).statusCode).toBe(200);
    } finally {
      await other.close();
    }
  });
});
