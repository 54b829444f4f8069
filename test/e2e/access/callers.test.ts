import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

describe('who may call', () => {
  let at: TestGateway;
  let issuer: TestServer;
  let sign: (claims: Record<string, unknown>, audience: string, expires?: string) => Promise<string>;
  const toolIds: Record<string, string> = {};

  beforeAll(async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
    issuer = await serveHttp((req, res) => {
      const bodies: Record<string, unknown> = {
        '/.well-known/oauth-authorization-server': {
          issuer: issuer.origin,
          jwks_uri: `${issuer.origin}/keys`,
        },
        '/keys': { keys: [jwk] },
        '/ok': { fine: true },
      };
      const body = bodies[req.url ?? ''];
      res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(body ?? {}));
    });
    sign = (claims, audience, expires = '5m') =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(issuer.origin)
        .setSubject('user-1')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey);
    at = await startGateway({ egressAllow: ['127.0.0.1'], publicUrl: 'https://tools.example.com' });
    await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: issuer.origin });
    for (const name of ['read_it', 'write_it']) {
      const made = await at.request('POST', '/api/v1/tools', {
        api: 'one',
        name,
        description: name,
        operation: { method: 'GET', path: '/ok' },
      });
      toolIds[name] = made.json<{ id: string }>().id;
    }
    const serve = (slug: string, policy: object) =>
      at.request('POST', '/api/v1/servers', { slug, tools: '*', policy, ratePerMinute: 0 });
    await serve('keyed', { kind: 'key', header: 'X-Team-Key' });
    await serve('queried', { kind: 'key', allowQuery: true });
    await serve('other', { kind: 'key' });
    await serve('basic', { kind: 'basic' });
    await serve('signed', {
      kind: 'oauth',
      issuer: issuer.origin,
      scopes: ['use'],
      toolScopes: { read: ['read_it'], write: ['write_it'] },
    });
    await serve('signed-too', { kind: 'oauth', issuer: issuer.origin });
  });
  afterAll(async () => {
    await at.close();
    await issuer.close();
  });

  const list = (slug: string, headers: Record<string, string>, query = '') =>
    at.request(
      'POST',
      `/mcp/${slug}${query}`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
        ...headers,
      },
    );
  const names = (answer: Awaited<ReturnType<typeof list>>) =>
    answer
      .json<{ result: { tools: { name: string }[] } }>()
      .result.tools.map((tool) => tool.name)
      .filter((name) => name !== 'read_reply');
  const makeKey = async (body: object): Promise<MadeKey> =>
    (await at.request('POST', '/api/v1/keys', body)).json<MadeKey>();

  test('takes an access key from Authorization, from a named header, and from the query only where that is allowed', async () => {
    const { key } = await makeKey({ name: 'Laptop' });
    expect((await list('keyed', {})).statusCode).toBe(401);
    expect((await list('keyed', { authorization: `Bearer ${key}` })).statusCode).toBe(200);
    expect((await list('keyed', { 'x-team-key': key })).statusCode).toBe(200);
    expect((await list('keyed', {}, `?key=${key}`)).statusCode).toBe(401);
    expect((await list('queried', {}, `?key=${key}`)).statusCode).toBe(200);
  });

  test('takes an access key as the password of basic authentication', async () => {
    const { key } = await makeKey({ name: 'Laptop' });
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const refused = await list('basic', {});
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Basic realm="handrail", charset="UTF-8"');
    expect((await list('basic', basic(`me:${key}`))).statusCode).toBe(200);
    expect((await list('basic', basic('me:wrong'))).statusCode).toBe(401);
  });

  test('refuses a key of another server, an expired one and a revoked one, at once', async () => {
    const elsewhere = await makeKey({ name: 'a', servers: ['other'] });
    expect((await list('keyed', { authorization: `Bearer ${elsewhere.key}` })).statusCode).toBe(403);
    const expired = await makeKey({ name: 'b', expiresAt: '2020-01-01T00:00:00Z' });
    expect((await list('keyed', { authorization: `Bearer ${expired.key}` })).statusCode).toBe(401);
    const revoked = await makeKey({ name: 'c' });
    expect((await list('keyed', { authorization: `Bearer ${revoked.key}` })).statusCode).toBe(200);
    await at.request('POST', `/api/v1/keys/${revoked.id}/revoke`);
    expect((await list('keyed', { authorization: `Bearer ${revoked.key}` })).statusCode).toBe(401);
  });

  test('shows a key only the tools it may call, on every surface', async () => {
    const { key } = await makeKey({ name: 'narrow', tools: ['read_it'] });
    const headers = { authorization: `Bearer ${key}` };
    expect(names(await list('keyed', headers))).toEqual(['read_it']);
    const shown = await at.request('GET', '/explorer/keyed/tools', undefined, headers);
    expect(shown.json<{ name: string }[]>().map((tool) => tool.name)).toEqual(['read_it']);
    const call = await at.request('POST', '/explorer/keyed/tools/write_it/call', {}, headers);
    expect(call.statusCode).toBe(404);
  });

  test('changes what a key opens, and takes a restriction away again', async () => {
    const { id, key } = await makeKey({ name: 'narrow', tools: ['read_it'], ratePerMinute: 5 });
    const headers = { authorization: `Bearer ${key}` };
    const change = async (body: object) =>
      (await at.request('PATCH', `/api/v1/keys/${id}`, body)).json<Record<string, unknown>>();
    expect(await change({ name: 'wide', tools: null, servers: ['keyed'] })).toMatchObject({
      name: 'wide',
      servers: ['keyed'],
      ratePerMinute: 5,
    });
    expect(names(await list('keyed', headers)).length).toBeGreaterThan(1);
    expect((await list('basic', headers)).statusCode).toBe(401);
    const freed = await change({ servers: null, ratePerMinute: null, expiresAt: null });
    expect(Object.keys(freed)).not.toEqual(
      expect.arrayContaining(['servers', 'tools', 'ratePerMinute', 'expiresAt']),
    );
    expect(await change({ expiresAt: '2020-01-01T00:00:00Z' })).toHaveProperty('expiresAt');
    expect((await list('keyed', headers)).statusCode).toBe(401);
  });

  test('rotates a key with an overlap, under one identity, and tells when it was last used', async () => {
    const old = await makeKey({ name: 'Robot', tools: ['read_it'] });
    const rotated = await at.request('POST', `/api/v1/keys/${old.id}/rotate`, { overlapMs: 60_000 });
    const fresh = rotated.json<MadeKey & { replaces: string; tools: string[] }>();
    expect(fresh).toMatchObject({ replaces: old.id, tools: [toolIds['read_it']] });
    for (const { key } of [old, fresh]) {
      expect(names(await list('keyed', { authorization: `Bearer ${key}` }))).toEqual(['read_it']);
    }
    const seen = (await at.request('GET', `/api/v1/keys/${old.id}`)).json<{
      expiresAt?: string;
      lastUsedAt?: string;
    }>();
    expect(seen.expiresAt).toBeDefined();
    expect(seen.lastUsedAt).toBeDefined();
    await at.request('POST', `/api/v1/keys/${fresh.id}/rotate`, { overlapMs: 0 });
    expect((await list('keyed', { authorization: `Bearer ${fresh.key}` })).statusCode).toBe(401);
  });

  test('sends a client without a token to the metadata of the server, which names the issuer', async () => {
    const refused = await list('signed', {});
    expect(refused.statusCode).toBe(401);
    const challenge = String(refused.headers['www-authenticate']);
    const url = 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/signed';
    expect(challenge).toBe(`Bearer resource_metadata="${url}", scope="use"`);
    const metadata = await at.request('GET', new URL(url).pathname, undefined, {});
    expect(metadata.json()).toMatchObject({
      resource: 'https://tools.example.com/mcp/signed',
      authorization_servers: [issuer.origin],
      scopes_supported: ['use', 'read', 'write'],
    });
    const other = await at.request('GET', '/.well-known/oauth-protected-resource/mcp/keyed', undefined, {});
    expect(other.statusCode).toBe(404);
  });

  test('takes a token of the issuer, made for this server, and shows what its scopes open', async () => {
    const token = await sign({ scope: 'use read' }, 'https://tools.example.com/mcp/signed');
    for (let i = 0; i < 2; i++) {
      expect(names(await list('signed', { authorization: `Bearer ${token}` }))).toEqual(['read_it']);
    }
  });

  test('refuses a token for another server, an expired one, a forged one, and one in the query', async () => {
    const good = 'https://tools.example.com/mcp/signed';
    const elsewhere = await sign({ scope: 'use read' }, `${good}-too`);
    const answer = await list('signed', { authorization: `Bearer ${elsewhere}` });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    const old = await sign({ scope: 'use read' }, good, '-5m');
    expect((await list('signed', { authorization: `Bearer ${old}` })).statusCode).toBe(401);
    const token = await sign({ scope: 'use read' }, good);
    const forged = `${token.slice(0, -4)}AAAA`;
    expect((await list('signed', { authorization: `Bearer ${forged}` })).statusCode).toBe(401);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    expect((await list('signed', { authorization: `Bearer ${unsigned}` })).statusCode).toBe(401);
    expect((await list('signed', {}, `?key=${token}`)).statusCode).toBe(401);
  });

  test('names the scopes that a token lacks', async () => {
    const token = await sign({ scope: 'read' }, 'https://tools.example.com/mcp/signed');
    const answer = await list('signed', { authorization: `Bearer ${token}` });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="use"');
  });
});
