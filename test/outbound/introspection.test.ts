import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { neverIdlesOut } from '../support/servers/http-server.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const secretOf = {
  agent: randomBytes(24).toString('base64url'),
  gateway: `a b:%${randomBytes(12).toString('hex')}`,
};
const resource = 'https://tools.example.com/mcp/asked';
const audience = 'urn:example:tools';

// An OpenID provider that hands out opaque tokens, which nobody can read: it has to be asked about them.
describe('tokens of an OpenID provider that are not signed', () => {
  let server: Server;
  let issuer: string;
  let questions = 0;
  let at: TestGateway;

  beforeAll(async () => {
    server = createServer((req, res) => {
      if (req.url === '/token/introspection') questions++;
      void provider.callback()(req, res);
    });
    neverIdlesOut(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = (client_id: keyof typeof secretOf) => ({
      client_id,
      client_secret: secretOf[client_id],
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256' as const,
    });
    const provider = new Provider(issuer, {
      clients: [client('agent'), client('gateway')],
      features: {
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: () => true },
        revocation: { enabled: true, allowedPolicy: () => true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          getResourceServerInfo: (_context, wanted) => ({
            scope: 'use read write',
            audience: wanted === 'https://tools.example.com/named' ? audience : wanted,
            accessTokenFormat: 'opaque',
          }),
        },
      },
      scopes: ['use', 'read', 'write'],
      ttl: { ClientCredentials: 300 },
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
    });
    at = await startGateway({ egressAllow: ['127.0.0.1'], publicUrl: 'https://tools.example.com' });
    await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: issuer });
    for (const name of ['read_it', 'write_it'])
      await at.request('POST', '/api/v1/tools', {
        api: 'one',
        name,
        description: name,
        operation: { method: 'GET', path: '/jwks' },
      });
    const introspection = { clientId: 'gateway', clientSecret: secretOf.gateway };
    const policy = {
      kind: 'oauth',
      issuer,
      scopes: ['use'],
      toolScopes: { read: ['read_it'], write: ['write_it'] },
      introspection,
    };
    for (const [slug, more] of [
      ['asked', {}],
      ['named', { audience: [audience] }],
      ['wrong', { introspection: { ...introspection, clientSecret: 'wrong' } }],
    ] as const) {
      const made = await at.request('POST', '/api/v1/servers', {
        slug,
        tools: '*',
        policy: { ...policy, ...more },
      });
      expect(made.statusCode).toBe(201);
    }
  });
  afterAll(async () => {
    await at.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function send(path: string, form: Record<string, string>): Promise<Record<string, unknown>> {
    const answer = await fetch(`${issuer}${path}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`agent:${secretOf.agent}`).toString('base64')}` },
      body: new URLSearchParams(form),
    });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  }
  const tokenFor = async (scope: string, wanted = resource) =>
    String(
      (await send('/token', { grant_type: 'client_credentials', scope, resource: wanted }))['access_token'],
    );
  const rpc = (slug: string, token: string, method: string, params: object = {}) =>
    at.request(
      'POST',
      `/mcp/${slug}`,
      { jsonrpc: '2.0', id: 1, method, params },
      { authorization: `Bearer ${token}` },
    );

  it('let in who they were made for, to what their scopes open, and ask once', async () => {
    const token = await tokenFor('use read');
    expect(token).not.toContain('.');
    questions = 0;
    for (let i = 0; i < 3; i++) {
      const listed = await rpc('asked', token, 'tools/list');
      expect(listed.statusCode).toBe(200);
      const { tools } = listed.json<{ result: { tools: { name: string }[] } }>().result;
      expect(tools.map(({ name }) => name).filter((name) => name !== 'read_reply')).toEqual(['read_it']);
    }
    expect(questions).toBe(1);
    const called = await rpc('asked', token, 'tools/call', { name: 'read_it', arguments: {} });
    expect(called.json()).toHaveProperty('result.content');
    const refused = await rpc('asked', token, 'tools/call', { name: 'write_it', arguments: {} });
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope", scope="use read write"'),
    ]);
  });

  it('are refused when they were taken back, made for another server or are no tokens', async () => {
    const revoked = await tokenFor('use read');
    await send('/token/revocation', { token: revoked });
    for (const token of [
      revoked,
      await tokenFor('use read', 'https://tools.example.com/mcp/other'),
      'junk',
    ]) {
      const answer = await rpc('asked', token, 'tools/list');
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    }
    questions = 0;
    expect((await rpc('asked', 'junk', 'tools/list')).statusCode).toBe(401);
    expect(questions).toBe(0);
  });

  it('may be made for a name that the operator set', async () => {
    const token = await tokenFor('use read', 'https://tools.example.com/named');
    expect((await rpc('named', token, 'tools/list')).statusCode).toBe(200);
    expect((await rpc('asked', token, 'tools/list')).statusCode).toBe(401);
    expect((await rpc('named', await tokenFor('use read'), 'tools/list')).statusCode).toBe(401);
  });

  it('let nobody in while the provider does not take our own client', async () => {
    const answer = await rpc('wrong', await tokenFor('use read'), 'tools/list');
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain('rejects the client');
    expect(answer.body).not.toContain(secretOf.gateway);
  });
});
