import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectApp, makeApp, type TestApp } from '../../support/sign-in/app.ts';
import { agree, PageReader, type Person } from '../../support/sign-in/page-reader.ts';
import { type AdminAnswer, type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { type ApiWithAccounts, startApiWithAccounts } from '../../support/servers/api-with-accounts.ts';
import { type EchoUpstream, startEcho } from '../../support/servers/echo-upstream.ts';

const ann: Person = { name: 'ann', password: 'staple battery horse correct 9' };
const ben: Person = { name: 'ben', password: 'purple anvil kettle orbit 83' };

let at: RunningGateway;
let echo: EchoUpstream;
let mail: ApiWithAccounts;
const ids: Record<string, string> = {};
const apps = new Map<string, TestApp>();
const clients = new Map<string, Client>();

beforeAll(async () => {
  echo = await startEcho();
  mail = await startApiWithAccounts();
  at = await startGateway({ egressAllow: '127.0.0.1' });
  const setup = (await at.gateway.signIn.makeSetupToken())!;
  await at.gateway.signIn.setUp(setup, 'owner', ann.password, { address: '127.0.0.1', userAgent: 'test' });
  for (const [person, group] of [
    [ann, 'sales'],
    [ben, 'support'],
  ] as const) {
    await made('/groups', { name: group });
    const invited = await made('/people', { name: person.name, role: 'none', groups: [group] });
    ids[person.name] = invited.id;
    const token = new URL(invited.invitationUrl).hash.slice(1);
    await accept(token, person);
  }
  await made('/apis', {
    slug: 'notes',
    name: 'Notes',
    baseUrl: echo.origin,
    auth: { kind: 'bearer' },
    ownAccounts: true,
  });
  await made('/apis', {
    slug: 'mail',
    name: 'Mail',
    baseUrl: mail.origin,
    auth: {
      kind: 'oauth2',
      grant: 'authorization_code',
      issuer: mail.issuer,
      scopes: ['openid', 'offline_access'],
    },
    ownAccounts: true,
  });
  await made('/apis', {
    slug: 'hidden',
    name: 'Hidden',
    baseUrl: echo.origin,
    auth: { kind: 'bearer' },
    ownAccounts: true,
  });
  for (const [api, name, path] of [
    ['notes', 'list_notes', '/notes'],
    ['mail', 'who_am_i', '/me'],
    ['hidden', 'secret_tool', '/hidden'],
  ] as const)
    await made('/tools', { api, name, description: name, operation: { method: 'GET', path } });
  await made('/servers', {
    slug: 'team',
    name: 'Team',
    tools: ['notes/list_notes', 'mail/who_am_i'],
    policy: { kind: 'sign-in' },
    mode: 'direct',
    access: [{ group: 'sales' }, { group: 'support' }],
  });
  await made('/servers', {
    slug: 'keys',
    name: 'Keys',
    tools: ['notes/list_notes'],
    policy: { kind: 'key' },
    mode: 'direct',
  });
  for (const person of [ann, ben]) clients.set(person.name, await connect(person));
});
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await at.stop();
  await echo.close();
  await mail.close();
});

async function made(path: string, body: object) {
  const answer = await at.admin('POST', path, body);
  if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function accept(token: string, { password }: Person): Promise<void> {
  const answer = await at.admin('POST', '/invitation/accept', { token, password }, { authorization: '' });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}

async function connect(person: Person): Promise<Client> {
  const app = makeApp();
  apps.set(person.name, app);
  const browser = new PageReader(at.url);
  return (await connectApp(`${at.url}/mcp/team`, app, (url) => agree(browser, url, person))).client;
}

/** A person's browser, signed in to the admin app. */
async function browserOf({ name, password }: Person) {
  const answer = await at.admin('POST', '/session', { name, password }, { authorization: '' });
  const cookies = new Map<string, string>();
  const keep = (headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
  };
  keep(answer.headers);
  const cookie = () => [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const csrf = answer.body.csrf as string;
  return {
    cookie,
    async ask(method: string, path: string, body?: unknown): Promise<AdminAnswer> {
      const reply = await fetch(`${at.url}/api/v1${path}`, {
        method,
        headers: {
          cookie: cookie(),
          'x-handrail-csrf': csrf,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      keep(reply.headers);
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, body: text === '' ? null : JSON.parse(text) };
    },
  };
}

type Result = Awaited<ReturnType<Client['callTool']>>;
const textIn = (result: Result) => (result.content[0] as { text: string }).text;
const linkIn = (result: Result) => new URL(/https?:\/\/\S+\?connect=\S+/.exec(textIn(result))![0]);
const call = (person: Person, name: string) => clients.get(person.name)!.callTool({ name, arguments: {} });
const sent = () => echo.seen.map(({ headers }) => headers.authorization);
const auditOf = async (action: string) =>
  (await at.admin('GET', `/audit?action=${action}`)).body.items as { actor: { name: string } }[];

describe('an API that is used with each person’s own account', () => {
  it('answers the first call with a short instruction and a link, and sends nothing', async () => {
    const result = await call(ann, 'list_notes');
    expect(result.isError).toBe(true);
    const link = linkIn(result);
    expect(link.origin).toBe(at.url);
    expect(result.structuredContent).toEqual({
      error: 'account_needed',
      api: 'notes',
      connectUrl: link.href,
    });
    expect(textIn(result)).not.toContain('Correct the arguments');
    // The link carries no personal data.
    for (const data of [ids['ann']!, 'ann', 'notes']) expect(link.href).not.toContain(data);
    expect(sent()).toEqual([]);
  });

  it('opens the link only for the person who started it, signed in', async () => {
    const link = linkIn(await call(ann, 'list_notes'));
    const query = `/account-link?link=${link.searchParams.get('connect')!}`;
    const own = await (await browserOf(ann)).ask('GET', query);
    expect(own.body).toMatchObject({ api: 'notes', how: 'enter', fields: ['token'], status: 'none' });
    const other = await (await browserOf(ben)).ask('GET', query);
    expect([other.status, other.body.code]).toEqual([403, 'forbidden']);
    expect(JSON.stringify(other.body)).not.toContain('ann');
    expect((await at.admin('GET', query, undefined, { authorization: '' })).status).toBe(401);
    expect((await at.admin('GET', query)).status).toBe(422);
    expect((await (await browserOf(ann)).ask('GET', '/account-link?link=v1.forged.a.b')).status).toBe(400);
    expect((await auditOf('account.link_refused'))[0]).toMatchObject({ actor: { name: 'ben' } });
  });

  it('uses the account of the person whose call it is, and never another’s or a shared one', async () => {
    // An operator's own credential is stored as well, and isn't used.
    await made('/credentials', { api: 'notes', secret: 'the-shared-token' });
    const annsBrowser = await browserOf(ann);
    const stored = await annsBrowser.ask('PUT', '/accounts/notes', { fields: { token: 'anns-own-token' } });
    expect([stored.status, stored.body.status]).toEqual([200, 'connected']);
    expect(JSON.stringify(stored.body)).not.toContain('anns-own-token');
    expect((await call(ann, 'list_notes')).isError).toBeFalsy();
    expect((await call(ben, 'list_notes')).isError).toBe(true);
    await (await browserOf(ben)).ask('PUT', '/accounts/notes', { fields: { token: 'bens-own-token' } });
    expect((await call(ben, 'list_notes')).isError).toBeFalsy();
    expect(sent()).toEqual(['Bearer anns-own-token', 'Bearer bens-own-token']);
    const line = (await auditOf('account.connect'))[0];
    expect(line).toMatchObject({ actor: { name: 'ben' } });
    expect(JSON.stringify(line)).not.toContain('bens-own-token');
  });

  it('says to a caller that is not a person what to do, without a link', async () => {
    const { key } = await made('/keys', { name: 'robot', servers: ['keys'] });
    const client = new Client({ name: 'robot', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${at.url}/mcp/keys`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }),
    );
    const before = echo.seen.length;
    const result = await client.callTool({ name: 'list_notes', arguments: {} });
    expect(result.isError).toBe(true);
    expect(textIn(result)).toContain('handrail credentials set notes --caller');
    expect(result.structuredContent).toBeUndefined();
    expect(echo.seen.length).toBe(before);
    await client.close();
  });

  it('asks a client that opens links, in the form of its revision', async () => {
    const carl: Person = { name: 'carl', password: 'quiet lantern mosaic river 71' };
    const invited = await made('/people', { name: 'carl', role: 'none', groups: ['sales'] });
    const token = new URL(invited.invitationUrl).hash.slice(1);
    await accept(token, carl);
    await (await connect(carl)).close();
    const bearer = `Bearer ${apps.get('carl')!.kept.tokens!.access_token}`;
    const post = async (message: object, headers: Record<string, string>) => {
      const reply = await fetch(`${at.url}/mcp/team`, {
        method: 'POST',
        headers: {
          authorization: bearer,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      });
      const text = await reply.text();
      // A stream has the answer in its last event.
      const json = text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: ') + 6);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON-RPC
      const body = JSON.parse(json) as { result?: unknown; error?: { code: number; data?: unknown } };
      return { session: reply.headers.get('mcp-session-id'), body };
    };
    const capabilities = { elicitation: { url: {} } };
    const params = { name: 'list_notes', arguments: {} };
    const modern = (more: object = {}) =>
      post(
        {
          method: 'tools/call',
          params: {
            ...params,
            ...more,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': capabilities,
            },
          },
        },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_notes' },
      );
    expect((await modern()).body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        connect: {
          method: 'elicitation/create',
          params: { mode: 'url', url: expect.stringContaining('/admin/me?connect=') as unknown },
        },
      },
    });
    // Whoever returns without having connected gets the link as text, and is not asked again.
    const again = await modern({ inputResponses: { connect: { action: 'accept' } } });
    expect(again.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'account_needed' },
    });

    const opened = await post(
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities,
          clientInfo: { name: 'legacy', version: '1' },
        },
      },
      {},
    );
    const headers = { 'mcp-session-id': opened.session!, 'mcp-protocol-version': '2025-11-25' };
    const legacy = await post({ method: 'tools/call', params }, headers);
    expect(legacy.body.error).toMatchObject({
      code: -32_042,
      data: { elicitations: [{ mode: 'url', url: expect.stringContaining('?connect=') as unknown }] },
    });
    // The same over the SDK's lane, which takes requests with a progress token.
    const withProgress = await post(
      { method: 'tools/call', params: { ...params, _meta: { progressToken: 1 } } },
      { ...headers, accept: 'application/json, text/event-stream' },
    );
    expect(withProgress.body.error?.code).toBe(-32_042);
  });

  it('connects by signing in at the API’s own authorization server, and the API sees two accounts', async () => {
    const early = await (await browserOf(ann)).ask('POST', '/accounts/mail/connect');
    expect([early.status, early.body.code]).toEqual([502, 'credential_missing']);
    await made('/credentials', {
      api: 'mail',
      fields: { clientId: mail.clientId, clientSecret: mail.clientSecret },
    });
    for (const person of [ann, ben]) {
      expect(linkIn(await call(person, 'who_am_i')).href).toContain('?connect=');
      const browser = await browserOf(person);
      const begun = await browser.ask('POST', '/accounts/mail/connect');
      expect(begun.status).toBe(200);
      mail.account = `${person.name}@mail`;
      const back = await mail.signIn(begun.body.authorizationUrl as string);
      // Another browser can't complete it.
      const stranger = await fetch(back, { redirect: 'manual' });
      expect(stranger.status).toBe(400);
      const done = await fetch(back, { redirect: 'manual', headers: { cookie: browser.cookie() } });
      expect([done.status, done.headers.get('location')]).toEqual([302, '/admin/me?connected=mail']);
      // Nor can the same browser complete it twice.
      const twice = await fetch(back, { redirect: 'manual', headers: { cookie: browser.cookie() } });
      expect(twice.status).toBe(400);
    }
    expect(textIn(await call(ann, 'who_am_i'))).toContain('ann@mail');
    expect(textIn(await call(ben, 'who_am_i'))).toContain('ben@mail');
  });

  it('keeps an account whose authorization server is away when it is renewed, and goes on with it', async () => {
    mail.isAway = true;
    const result = await call(ben, 'who_am_i');
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain('account_needed');
    mail.isAway = false;
    await expect
      .poll(async () => textIn(await call(ben, 'who_am_i')), { timeout: 60_000 })
      .toContain('ben@mail');
  });

  it('asks to connect again when the API has ended the account, and leaves others alone', async () => {
    await mail.revoke('ann@mail');
    mail.account = 'ann@mail';
    const result = await call(ann, 'who_am_i');
    expect(result.structuredContent).toMatchObject({ error: 'account_needed', api: 'mail' });
    expect(textIn(result)).toContain('has ended');
    mail.account = 'ben@mail';
    expect(textIn(await call(ben, 'who_am_i'))).toContain('ben@mail');
  });

  it('refuses a secret reference, an unknown field and a value that is too long', async () => {
    const browser = await browserOf(ann);
    for (const fields of [
      { token: '${env:SECRET_OF_THE_OPERATOR}' },
      { token: 'fine', other: 'x' },
      { token: '' },
      {},
      { token: 'x'.repeat(20_000) },
    ]) {
      const answer = await browser.ask('PUT', '/accounts/notes', { fields });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        422,
        expect.not.stringContaining('OPERATOR}"'),
      ]);
    }
    expect((await call(ann, 'list_notes')).isError).toBeFalsy();
  });

  it('shows people only what they may use, and owners who is connected, never the secret', async () => {
    const browser = await browserOf(ann);
    const listed = await browser.ask('GET', '/accounts');
    expect(
      listed.body.items.map(({ api, status }: { api: string; status: string }) => [api, status]),
    ).toEqual([
      ['mail', 'connected'],
      ['notes', 'connected'],
    ]);
    for (const [method, path] of [
      ['GET', '/accounts/hidden'],
      ['PUT', '/accounts/hidden'],
      ['POST', '/accounts/hidden/connect'],
      ['DELETE', '/accounts/hidden'],
    ] as const) {
      const answer = await browser.ask(
        method,
        path,
        method === 'PUT' ? { fields: { token: 'x' } } : undefined,
      );
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    const people = await at.admin('GET', '/apis/notes/accounts');
    const names = people.body.items.map(({ person }: { person: { name: string } }) => person.name).toSorted();
    expect(names).toEqual(['ann', 'ben']);
    expect(JSON.stringify(people.body)).not.toContain('token');
    expect((await browser.ask('GET', '/apis/notes/accounts')).status).toBe(403);
  });

  it('stops using an account that was disconnected, by its person or an owner', async () => {
    expect((await (await browserOf(ann)).ask('DELETE', '/accounts/notes')).status).toBe(204);
    expect((await call(ann, 'list_notes')).structuredContent).toMatchObject({ error: 'account_needed' });
    expect((await at.admin('DELETE', `/apis/notes/accounts/${ids['ben']}`)).status).toBe(204);
    expect((await call(ben, 'list_notes')).structuredContent).toMatchObject({ error: 'account_needed' });
    expect((await at.admin('DELETE', `/apis/notes/accounts/${ids['ben']}`)).status).toBe(404);
    expect(await auditOf('account.disconnect')).toHaveLength(2);
  });

  it('never sends an account to another origin, and forgets it with its API’s address', async () => {
    const browser = await browserOf(ann);
    await browser.ask('PUT', '/accounts/notes', { fields: { token: 'anns-second-token' } });
    expect((await call(ann, 'list_notes')).isError).toBeFalsy();
    const elsewhere = await startEcho();
    await at.admin('PATCH', '/apis/notes', { baseUrl: elsewhere.origin });
    const result = await call(ann, 'list_notes');
    expect(result.structuredContent).toMatchObject({ error: 'account_needed' });
    expect(elsewhere.seen).toEqual([]);
    await at.admin('PATCH', '/apis/notes', { baseUrl: echo.origin });
    await elsewhere.close();
  });

  it('stores accounts sealed, rotates their key, and removes them with their person', async () => {
    const browser = await browserOf(ann);
    await browser.ask('PUT', '/accounts/notes', { fields: { token: 'anns-third-token' } });
    const { store } = at.gateway;
    const before = await store.accounts.listOf(ids['ann']!);
    expect(JSON.stringify(before)).not.toContain('anns-third-token');
    const rotated = await at.admin('POST', '/credentials/rotate-key', {});
    expect(rotated.body.unreadable).toEqual([]);
    const after = await store.accounts.listOf(ids['ann']!);
    expect(after.map(({ sealed }) => sealed.split('.')[1])).toEqual(after.map(() => rotated.body.keyId));
    expect(after.map(({ revision }) => revision)).toEqual(before.map(({ revision }) => revision));
    expect((await call(ann, 'list_notes')).isError).toBeFalsy();
    await at.admin('DELETE', `/people/${ids['ann']}`);
    expect(await store.accounts.listOf(ids['ann']!)).toEqual([]);
  });
});
