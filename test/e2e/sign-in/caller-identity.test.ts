import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectApp, makeApp } from '../../support/sign-in/app.ts';
import { agree, PageReader, type Person } from '../../support/sign-in/page-reader.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { type EchoUpstream, startEcho } from '../../support/servers/echo-upstream.ts';

const ann: Person = { name: 'Ann Ünal', password: 'staple battery horse correct 9' };
const identity = {
  header: 'X-Identity',
  claims: ['name', 'groups', 'server', 'kind'],
  headers: {
    'X-User-Name': 'name',
    'X-User-Email': 'email',
    'X-User-Groups': 'groups',
    'X-User-Role': 'role',
  },
};

let at: RunningGateway;
let echo: EchoUpstream;
let annId = '';
let annsToken = '';
let robotsKey = '';

beforeAll(async () => {
  echo = await startEcho();
  at = await startGateway({ egressAllow: '127.0.0.1' });
  const setup = (await at.gateway.signIn.makeSetupToken())!;
  await at.gateway.signIn.setUp(setup, 'owner', ann.password, { address: '127.0.0.1', userAgent: 'test' });
  for (const name of ['sales', 'support, second line']) await made('/groups', { name });
  const invited = await made('/people', {
    name: ann.name,
    role: 'none',
    email: 'ann@example.com',
    groups: ['sales', 'support, second line'],
  });
  annId = invited.id;
  const token = new URL(invited.invitationUrl).hash.slice(1);
  await at.admin('POST', '/invitation/accept', { token, password: ann.password }, { authorization: '' });
  await made('/apis', {
    slug: 'shop',
    name: 'Shop',
    baseUrl: `${echo.origin}/v1`,
    auth: { kind: 'none' },
    // Whoever lists one of these headers still can't let callers set it.
    forwardHeaders: ['X-Identity', 'X-User-Name', 'X-Trace-Note'],
    identity,
  });
  await made('/tools', {
    api: 'shop',
    name: 'list_orders',
    description: 'Lists orders',
    operation: {
      method: 'GET',
      path: '/orders',
      parameters: [
        { name: 'X_User_Email', in: 'header', schema: { type: 'string' }, required: false },
        { name: 'page', in: 'query', schema: { type: 'string' }, required: false },
      ],
    },
  });
  await made('/servers', { slug: 'team', tools: '*', mode: 'direct', policy: { kind: 'sign-in' } });
  robotsKey = (await made('/keys', { name: 'robot', servers: ['team'] })).key;
  const app = makeApp();
  const browser = new PageReader(at.url);
  const { client } = await connectApp(`${at.url}/mcp/team`, app, (url) => agree(browser, url, ann));
  await client.close();
  annsToken = app.kept.tokens!.access_token;
});
beforeEach(() => void echo.seen.splice(0));
afterAll(async () => {
  await at.stop();
  await echo.close();
});

async function made(path: string, body: object) {
  const answer = await at.admin('POST', path, body);
  if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function callAs(bearer: string, headers: Record<string, string> = {}, args: object = {}) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${at.url}/mcp/team`), {
      requestInit: { headers: { authorization: `Bearer ${bearer}`, ...headers } },
    }),
  );
  const result = await client.callTool({ name: 'list_orders', arguments: { ...args } });
  await client.close();
  return { isError: result.isError === true, text: (result.content[0] as { text: string }).text };
}

describe('who is calling', () => {
  it('is said in a short token for this API, which our published keys verify', async () => {
    await callAs(annsToken);
    const token = String(echo.seen[0]!.headers['x-identity']);
    const keys = createRemoteJWKSet(new URL(`${at.url}/oauth/jwks`));
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: at.url,
      audience: echo.origin,
      typ: 'handrail-identity+jwt',
      requiredClaims: ['exp', 'iat', 'nbf', 'sub'],
    });
    expect(protectedHeader.alg).toBe('ES256');
    expect(payload).toMatchObject({
      sub: `person:${annId}`,
      name: ann.name,
      groups: ['sales', 'support, second line'],
      server: 'team',
      kind: 'person',
    });
    expect(payload.exp! - payload.iat!).toBe(60);
    expect(Object.keys(payload)).not.toContain('email');
    await expect(jwtVerify(token, keys, { audience: 'https://other.example.com' })).rejects.toThrow('aud');
    const published = (await (await fetch(`${at.url}/oauth/jwks`)).json()) as { keys: object[] };
    expect(published.keys.flatMap((key) => Object.keys(key))).not.toContain('d');
  });

  it('is said in plain headers, in characters that a header can carry', async () => {
    await callAs(annsToken);
    expect(echo.seen[0]!.headers).toMatchObject({
      'x-user-name': 'Ann %C3%9Cnal',
      'x-user-email': 'ann@example.com',
      'x-user-groups': 'sales,support%2C second line',
      'x-user-role': 'none',
    });
  });

  it('can’t be said by the caller, whatever it sends, and no token of ours leaves', async () => {
    const forged = { 'X-Identity': 'forged', 'X-User-Name': 'root', 'X-User-Role': 'owner' };
    await callAs(annsToken, { ...forged, 'X-Trace-Note': 'fine' });
    const { headers, rawHeaders } = echo.seen[0]!;
    expect(headers).toMatchObject({
      'x-user-name': 'Ann %C3%9Cnal',
      'x-user-role': 'none',
      'x-trace-note': 'fine',
    });
    expect(decodeProtectedHeader(String(headers['x-identity'])).typ).toBe('handrail-identity+jwt');
    expect(rawHeaders.filter((name) => name.toLowerCase() === 'x-identity')).toHaveLength(1);
    expect(JSON.stringify(headers)).not.toContain(annsToken);
    expect(headers.authorization).toBeUndefined();
    // Nor by a tool: the input is held back, however its name is written.
    const refused = await callAs(annsToken, {}, { X_User_Email: 'root@example.com' });
    expect(refused.isError).toBe(true);
    const tool = (await at.admin('GET', '/tools?api=shop')).body.items[0];
    expect(JSON.stringify((await at.admin('GET', `/tools/${tool.id}`)).body.heldBack)).toContain(
      'X_User_Email',
    );
  });

  it('says of a program which key it has, and leaves out what isn’t known', async () => {
    await callAs(robotsKey, { 'X-User-Email': 'root@example.com' });
    const { headers } = echo.seen[0]!;
    const [, payload = ''] = String(headers['x-identity']).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    expect(claims).toMatchObject({
      sub: expect.stringMatching(/^key:/) as unknown,
      kind: 'key',
      name: 'robot',
    });
    for (const name of ['x-user-email', 'x-user-groups', 'x-user-role'])
      expect(headers[name]).toBeUndefined();
  });

  it('follows a change of the person at once', async () => {
    await callAs(annsToken);
    await at.admin('PATCH', `/people/${annId}`, { email: 'ann.unal@example.com', groups: ['sales'] });
    await callAs(annsToken);
    expect(echo.seen.map(({ headers }) => [headers['x-user-email'], headers['x-user-groups']])).toEqual([
      ['ann@example.com', 'sales,support%2C second line'],
      ['ann.unal@example.com', 'sales'],
    ]);
  });

  it('keeps the replies of two callers apart in the cache', async () => {
    await at.admin('PATCH', '/apis/shop', { limits: { cacheTtlMs: 60_000 } });
    for (const bearer of [annsToken, annsToken, robotsKey]) await callAs(bearer, {}, { page: '7' });
    expect(echo.seen.map(({ headers }) => headers['x-user-name'])).toEqual(['Ann %C3%9Cnal', 'robot']);
    await at.admin('PATCH', '/apis/shop', { limits: {} });
  });

  it.each([
    [{}, 'needs a header'],
    [{ header: 'Authorization' }, 'cannot say who is calling'],
    [{ header: 'X-A', headers: { 'x-a': 'name' } }, 'names a header twice'],
    [{ header: 'Content-Length' }, 'cannot be set'],
    [{ headers: { 'X-Team': 'name' } }, 'that the API or its credential sets'],
    [{ headers: { 'X-A': 'password' } }, '/identity'],
  ])('refuses %j', async (wrong, message) => {
    const answer = await at.admin('POST', '/apis', {
      slug: 'wrong',
      baseUrl: echo.origin,
      headers: { 'X-Team': 'a' },
      identity: wrong,
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining(message)]);
  });

  it('is off by default, and publishes no keys then', async () => {
    await at.admin('PATCH', '/apis/shop', { identity: null });
    await callAs(annsToken);
    expect(Object.keys(echo.seen[0]!.headers).filter((name) => name.startsWith('x-user'))).toEqual([]);
    await at.admin('PATCH', '/servers/team', { policy: { kind: 'key' } });
    expect((await fetch(`${at.url}/oauth/jwks`)).status).toBe(404);
  });
});
