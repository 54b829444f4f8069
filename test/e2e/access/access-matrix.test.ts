import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/access/secrets.ts';
import { type Role, roleAllows } from '../../../src/domain/person.ts';
import { adminRoutes } from '../../../src/http/admin/mount.ts';
import type { RouteContract } from '../../../src/http/contract/route.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

const password = 'seven green umbrellas dance';
const roles: readonly Role[] = ['none', 'viewer', 'editor', 'owner'];

describe('every route and every principal', () => {
  let at: TestGateway;
  let contracts: readonly RouteContract[];
  const personIds = new Map<Role, string>();
  const keys: Record<string, string> = {};
  let sessions = 0;
  let ownerId = '';

  beforeAll(async () => {
    at = await startGateway();
    contracts = adminRoutes(at.gateway.context).map((route) => route.contract);
    const token = (await at.gateway.signIn.makeSetupToken())!;
    const owner = await at.request('POST', '/api/v1/setup', { token, name: 'Ada', password }, {});
    ownerId = owner.json<{ id: string }>().id;
    personIds.set('owner', ownerId);
    for (const role of ['none', 'viewer', 'editor'] as const) {
      const invited = await at.request('POST', '/api/v1/people', { name: role, role });
      personIds.set(role, invited.json<{ id: string }>().id);
    }
    await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: 'https://api.example.com' });
    for (const name of ['seen', 'hidden']) {
      const operation = { method: 'GET', path: `/${name}` };
      await at.request('POST', '/api/v1/tools', { api: 'one', name, description: name, operation });
    }
    for (const slug of ['mine', 'other']) {
      await at.request('POST', '/api/v1/servers', { slug, tools: '*', policy: 'key' });
    }
    await at.request('PATCH', '/api/v1/servers/default', { policy: { kind: 'key' } });
    const make = async (name: string, body: object) => {
      const made = await at.request('POST', '/api/v1/keys', { name, ...body });
      keys[name] = made.json<{ key: string }>().key;
    };
    await make('right', { servers: ['mine', 'default'], tools: ['seen'] });
    await make('foreign', { servers: ['other'] });
    await make('expired', { expiresAt: '2020-01-01T00:00:00Z' });
  });
  afterAll(() => at.close());

  /** A session made in the store itself: signing in for each of some hundred requests would take long. */
  async function sessionFor(
    role: Role,
    expiresAtMs = Date.now() + 3_600_000,
  ): Promise<Record<string, string>> {
    const token = `hrs_${role}_${sessions++}`;
    await at.gateway.store.sessions.add({
      hash: hashSecret(token),
      personId: personIds.get(role)!,
      createdAtMs: Date.now(),
      lastSeenAtMs: Date.now(),
      expiresAtMs,
      address: '127.0.0.1',
      userAgent: '',
    });
    return { cookie: `handrail=${token}`, 'x-handrail-csrf': hashSecret(`csrf ${token}`) };
  }

  const ask = async ({ method, path, body }: RouteContract, headers: Record<string, string>) => {
    const url = `/api/v1${path.replace(/:\w+/g, 'none')}`;
    return (await at.request(method, url, body === undefined ? undefined : {}, headers)).statusCode;
  };
  const isStream = (contract: RouteContract) => contract.stream?.includes('text/event-stream') === true;

  test('sees the route table', () => {
    expect(contracts.length).toBeGreaterThan(50);
    expect(
      contracts.filter((contract) => contract.access === 'public').map((contract) => contract.id),
    ).toEqual([
      'getSetup',
      'setUp',
      'signIn',
      'signInWithCode',
      'challengePasskey',
      'signInWithPasskey',
      'setUpAuthenticator',
      'confirmAuthenticator',
      'readInvitation',
      'acceptInvitation',
      'getSignInOptions',
    ]);
  });

  test('refuses on every guarded route whoever is not an admin', async () => {
    const strangers: Record<string, Record<string, string>> = {
      anonymous: {},
      'wrong token': { authorization: 'Bearer hra_wrong' },
      'an access key': { authorization: `Bearer ${keys['right']}` },
      'forged session': { cookie: 'handrail=hrs_forged', 'x-handrail-csrf': 'x' },
      'expired session': await sessionFor('owner', Date.now() - 1),
      'session under another name': { cookie: `__Host-${(await sessionFor('owner'))['cookie']}` },
    };
    for (const contract of contracts.filter((each) => each.access !== 'public')) {
      for (const [who, headers] of Object.entries(strangers)) {
        expect([contract.id, who, await ask(contract, headers)]).toEqual([contract.id, who, 401]);
      }
    }
    for (const path of ['/api', '/api/v1', '/api/v1/nothing', '/api/v1/openapi.json', '/api/v2/apis']) {
      expect([path, (await at.request('GET', path, undefined, {})).statusCode]).toEqual([path, 401]);
    }
  });

  test('holds every role to what the route asks for', async () => {
    const wrong: [route: string, role: Role, status: number][] = [];
    for (const contract of contracts) {
      for (const role of roles) {
        const { access } = contract;
        const allowed = access === 'public' || roleAllows(role, access);
        if (allowed && isStream(contract)) continue;
        const status = await ask(contract, await sessionFor(role));
        const refused = status === 401 || status === 403;
        // Getting in refuses a token that is none, whoever asks.
        const isEntrance = access === 'public' && contract.method === 'POST';
        if (!isEntrance && refused === allowed) wrong.push([contract.id, role, status]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('holds an API token to its role and its scopes, and ends it with whoever made it', async () => {
    const make = async (body: object, headers?: Record<string, string>) =>
      (await at.request('POST', '/api/v1/api-tokens', { name: 'robot', ...body }, headers)).json<{
        token: string;
      }>().token;
    const gone = await at.request('POST', '/api/v1/people', { name: 'gone', role: 'owner' });
    const { id } = gone.json<{ id: string }>();
    personIds.set('owner', id);
    const bySomeoneGone = await make({ role: 'owner' }, await sessionFor('owner'));
    personIds.set('owner', ownerId);
    await at.request('DELETE', `/api/v1/people/${id}`);
    const all = await make({ role: 'owner', scopes: ['*:read'] });
    const calls = await make({ role: 'owner', scopes: ['calls:read'] });
    const editor = await make({ role: 'editor' });
    const wrong: [route: string, token: string, status: number][] = [];
    for (const contract of contracts) {
      if (contract.access === 'public' || isStream(contract)) continue;
      const { access, tag, method, id: route, person } = contract;
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
      const expected = {
        [all]: tag === 'session' || method === 'GET',
        [calls]: tag === 'session' || (tag === 'calls' && method === 'GET'),
        [editor]: roleAllows('editor', access),
        [bySomeoneGone]: false,
      };
      for (const [token, allowed] of Object.entries(expected)) {
        // Ends nothing of its own: a token has no session.
        const status = await ask(contract, bearer(token));
        const refused = status === 401 || status === 403;
        // What is a person's own is not for programs, whatever their token may.
        if (refused === (allowed && person === undefined)) wrong.push([route, token.slice(0, 8), status]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('refuses a session from another site, and a change without its own value', async () => {
    for (const contract of contracts.filter((each) => each.access !== 'public')) {
      const session = await sessionFor('owner');
      const crossSite: Record<string, string>[] = [
        { ...session, 'sec-fetch-site': 'cross-site' },
        { ...session, 'sec-fetch-site': 'same-site' },
        { ...session, origin: 'https://evil.example.com' },
      ];
      if (contract.method !== 'GET') crossSite.push({ cookie: session['cookie']! });
      for (const headers of crossSite) {
        expect([contract.id, await ask(contract, headers)]).toEqual([contract.id, 403]);
      }
    }
  });

  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
  const mcpHeaders = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  const surfaces = [
    ['MCP', 'POST', '/mcp/mine', list],
    ['MCP of the default server', 'POST', '/mcp', list],
    ['REST list', 'GET', '/mcp/tools/list', undefined],
    [
      'REST call',
      'POST',
      '/mcp/tools/call',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hidden' } },
    ],
    ['explorer list', 'GET', '/explorer/mine/tools', undefined],
    ['explorer tool', 'GET', '/explorer/mine/tools/hidden', undefined],
    ['explorer validate', 'POST', '/explorer/mine/tools/hidden/validate', {}],
    ['explorer call', 'POST', '/explorer/mine/tools/hidden/call', {}],
  ] as const;

  test.each(surfaces)('lets only the right key in: %s', async (_name, method, url, body) => {
    const as = async (headers: Record<string, string>) =>
      at.request(method, url, body, { ...mcpHeaders, ...headers });
    const bearer = (name: string) => ({ authorization: `Bearer ${keys[name]}` });
    expect((await as({})).statusCode).toBe(401);
    expect((await as({ authorization: 'Bearer hrk_wrong' })).statusCode).toBe(401);
    expect((await as(bearer('expired'))).statusCode).toBe(401);
    expect((await as(bearer('foreign'))).statusCode).toBe(403);
    expect((await as(await sessionFor('viewer'))).statusCode).toBe(401);
    // Whoever may call every tool in the app sees a server's page as well; a model's way in takes keys alone.
    const owner = (await as(await sessionFor('owner'))).statusCode;
    if (url.startsWith('/explorer/')) expect([401, 403]).not.toContain(owner);
    else expect(owner).toBe(401);
    expect((await as({ ...bearer('right'), origin: 'https://evil.example.com' })).statusCode).toBe(403);
    const right = await as(bearer('right'));
    expect([200, 404]).toContain(right.statusCode);
    // What it may not call it is not told of, except that its own words come back.
    if (!url.includes('hidden') && url !== '/mcp/tools/call') {
      expect(right.payload).toContain('seen');
      expect(right.payload).not.toContain('hidden');
    } else {
      expect(right.payload).toMatch(/not found/i);
    }
  });

  test('takes rules by the name of a group, shows them by its id, and refuses those that name no one', async () => {
    const { id } = (await at.request('POST', '/api/v1/groups', { name: 'Finance' })).json<{ id: string }>();
    const patch = async (access: unknown) => at.request('PATCH', '/api/v1/servers/other', { access });
    const saved = await patch([{ group: 'finance', kinds: ['read'] }, { group: id }]);
    expect(saved.json()).toMatchObject({ access: [{ group: id, kinds: ['read'] }, { group: id }] });
    for (const wrong of [[{ group: 'nothing' }], [{ person: 'person_none' }], [{}], [{ kinds: [] }]])
      expect([404, 422]).toContain((await patch(wrong)).statusCode);
    expect((await patch(null)).json()).not.toHaveProperty('access');
  });

  test('gives the second of two admins who edit the same tool a conflict, and loses nothing', async () => {
    const read = await at.request('GET', '/api/v1/tools/seen');
    const etag = String(read.headers['etag']);
    const edit = async (role: Role, body: object) =>
      at.request('PATCH', '/api/v1/tools/seen', body, { ...(await sessionFor(role)), 'if-match': etag });
    expect((await edit('editor', { title: 'First' })).statusCode).toBe(200);
    const second = await edit('owner', { title: 'Second' });
    expect(second.statusCode).toBe(412);
    expect(second.json()).toMatchObject({ code: 'stale' });
    expect((await at.request('GET', '/api/v1/tools/seen')).json()).toMatchObject({ title: 'First' });
  });

  test('shows metrics to this machine alone, and behind a proxy only with the token', async () => {
    const open = await at.request('GET', '/metrics', undefined, {});
    expect(open.statusCode).toBe(200);
    expect(open.payload).toContain('# TYPE handrail_calls_total counter');
    const proxied = await startGateway({ publicUrl: 'https://tools.example.com' });
    try {
      expect((await proxied.request('GET', '/metrics', undefined, {})).statusCode).toBe(401);
      expect((await proxied.request('GET', '/metrics')).statusCode).toBe(200);
    } finally {
      await proxied.close();
    }
  });
});
