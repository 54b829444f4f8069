import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../../support/servers/token-issuer.ts';

const resource = 'https://tools.example.com/mcp/signed';
const metadata = 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/signed';
const longName = `write_${'very_'.repeat(10)}long`;

const eras = {
  modern: (method: string, params: object) => ({
    body: {
      jsonrpc: '2.0',
      id: 'r-1',
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
    } as Record<string, string>,
  }),
  legacy: (method: string, params: object) => ({
    body: { jsonrpc: '2.0', id: 'r-1', method, params },
    headers: { accept: 'application/json, text/event-stream' } as Record<string, string>,
  }),
};

describe.each([true, false])('a tool that another scope opens (fast lane: %s)', (fastLane) => {
  let issuer: TokenIssuer;
  let at: TestGateway;
  let token: string;

  beforeAll(async () => {
    issuer = await startTokenIssuer(Date.now);
    at = await startGateway({
      egressAllow: ['127.0.0.1'],
      publicUrl: 'https://tools.example.com',
      fastLane,
    });
    await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: issuer.origin });
    for (const [name, method] of [
      ['read_it', 'GET'],
      ['write_it', 'POST'],
      ['nobodys', 'GET'],
      [longName, 'POST'],
    ])
      await at.request('POST', '/api/v1/tools', {
        api: 'one',
        name,
        description: name,
        operation: { method, path: '/keys' },
      });
    const policy = {
      kind: 'oauth',
      issuer: issuer.origin,
      scopes: ['use'],
      toolScopes: {
        read: ['read_it'],
        all: ['read_it', 'write_it', longName],
        write: ['write_it', longName],
      },
    };
    const made = await at.request('POST', '/api/v1/servers', { slug: 'signed', tools: '*', policy });
    expect(made.statusCode).toBe(201);
    await at.request('PATCH', '/api/v1/servers/default', { policy });
    token = await issuer.sign({ scope: 'use read', aud: [resource, 'https://tools.example.com/mcp'] });
  });
  afterAll(async () => {
    await at.close();
    await issuer.close();
  });

  const ask = (era: keyof typeof eras, method: string, params: object, query = '', bearer = token) => {
    const { body, headers } = eras[era](method, params);
    return at.request('POST', `/mcp/signed${query}`, body, { ...headers, authorization: `Bearer ${bearer}` });
  };

  const cases = (['modern', 'legacy'] as const).flatMap((era) => [
    { era, params: { name: 'write_it', arguments: {} }, query: '' },
    { era, params: { name: 'call_write', arguments: { name: 'write_it' } }, query: '' },
    { era, params: { name: 'call_read', arguments: { name: 'write_it' } }, query: '?mode=search' },
  ]);

  it.each(cases)('is refused with the scopes to ask for: $era $params', async ({ era, params, query }) => {
    const answer = await ask(era, 'tools/call', params, query);
    expect(answer.statusCode).toBe(403);
    // The scopes it has come along: a new token takes the place of this one. "write" opens less than "all".
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", scope="use read write", resource_metadata="${metadata}"`,
    );
    expect(answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 'r-1',
      error: { code: -32600, message: 'The access token lacks a scope; this needs: use read write.' },
    });
  });

  it('is refused by the name that a dialect shows, too', async () => {
    const admin = await at.request('GET', '/api/v1/servers/signed/dialects/cursor');
    const shown = admin
      .json<{ tools: { name: string; shownName: string }[] }>()
      .tools.find(({ name }) => name === longName)!.shownName;
    expect(shown).not.toBe(longName);
    const params = { name: shown, arguments: {} };
    expect((await ask('legacy', 'tools/call', params, '?dialect=cursor')).statusCode).toBe(403);
  });

  it.each(['modern', 'legacy'] as const)('is not listed or found (%s)', async (era) => {
    const listed = await ask(era, 'tools/list', {}, '?mode=direct');
    expect(listed.json<{ result: { tools: { name: string }[] } }>().result.tools).toMatchObject([
      { name: 'read_it' },
      { name: 'read_reply' },
    ]);
    for (const params of [
      { name: 'search_tools', arguments: { query: 'write it' } },
      { name: 'describe_tools', arguments: { names: ['read_it', 'write_it'] } },
    ]) {
      const answer = await ask(era, 'tools/call', params);
      expect(answer.statusCode).toBe(200);
      expect(JSON.stringify(answer.json<{ result: object }>().result)).not.toContain('POST');
    }
  });

  it.each(['modern', 'legacy'] as const)('is called once the token has the scope (%s)', async (era) => {
    const more = await issuer.sign({ scope: 'use read write', aud: resource });
    const answer = await ask(era, 'tools/call', { name: 'write_it', arguments: {} }, '', more);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toHaveProperty('result.content');
  });

  it.each(['modern', 'legacy'] as const)('that no scope opens is unknown (%s)', async (era) => {
    for (const name of ['nobodys', 'nothing']) {
      const answer = await ask(era, 'tools/call', { name, arguments: {} });
      expect(answer.headers['www-authenticate']).toBeUndefined();
      expect(answer.json<{ error: { message: string } }>().error.message).toMatch(/^Unknown tool/);
    }
  });

  it('stays unknown to an access key that may not call it', async () => {
    const server = { slug: `keyed-${fastLane}`, tools: '*', policy: { kind: 'key' } };
    await at.request('POST', '/api/v1/servers', server);
    const made = await at.request('POST', '/api/v1/keys', { name: 'k', tools: ['read_it'] });
    const { body, headers } = eras.modern('tools/call', { name: 'write_it', arguments: {} });
    const answer = await at.request('POST', `/mcp/${server.slug}`, body, {
      ...headers,
      authorization: `Bearer ${made.json<{ key: string }>().key}`,
    });
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(answer.json<{ error: { message: string } }>().error.message).toMatch(/^Unknown tool/);
  });

  it('is refused over REST with the same header', async () => {
    const call = (name: string) =>
      at.request(
        'POST',
        '/mcp/tools/call',
        { jsonrpc: '2.0', method: 'tools/call', params: { name, arguments: {} }, id: 1 },
        { authorization: `Bearer ${token}` },
      );
    const refused = await call('write_it');
    expect(refused.statusCode).toBe(403);
    expect(refused.headers['www-authenticate']).toContain(
      'error="insufficient_scope", scope="use read write"',
    );
    expect((await call('nobodys')).json()).toMatchObject({
      error: {
        code: -32602,
        message: expect.stringMatching(/^Invalid params: tool not found: nobodys/) as string,
      },
    });
  });
});
