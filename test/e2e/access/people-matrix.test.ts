import { afterAll, beforeAll, expect, it } from 'vitest';
import { agree, PageReader, type Person } from '../../support/sign-in/page-reader.ts';
import { RawApp, rpc } from '../../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

// Two people in two groups, a program, an operator and strangers, with whatever each can hold, at every surface of a
// server that people sign in to: what each sees and may call, and nothing else.

const all = ['list_orders', 'get_order', 'create_order', 'delete_order'];
const readers: Person = { name: 'Rita', password: 'a long password for rita 1' };
const writers: Person = { name: 'Wim', password: 'a long password for wim 22' };
const disabled: Person = { name: 'Dora', password: 'a long password for dora 4' };
const outsider: Person = { name: 'Olga', password: 'a long password for olga 3' };

let at: SignInGateway;
let team: string;
/** Bearer secrets by who holds them, and the tools that they may use; null if the server is closed to them. */
const actors: [who: string, headers: Record<string, string>, tools: readonly string[] | null][] = [];
const personIds: Record<string, string> = {};

beforeAll(async () => {
  at = await startSignInGateway({ refusalsPerMinute: 1_000_000, refusalsPerMinuteInTotal: 1_000_000 });
  await at.serve('other');
  team = `${at.url}/mcp/team`;
  for (const person of [readers, writers, outsider, disabled]) {
    const invited = await at.admin('POST', '/people', { name: person.name, role: 'none' });
    personIds[person.name] = invited.body.id;
    const token = new URL(invited.body.invitationUrl).hash.slice(1);
    const accepted = await at.admin('POST', '/invitation/accept', { token, password: person.password });
    expect(accepted.status).toBe(201);
  }
  for (const [group, member] of [
    ['readers', readers],
    ['writers', writers],
    ['former', disabled],
  ] as const) {
    await at.admin('POST', '/groups', { name: group });
    await at.admin('PATCH', `/people/${personIds[member.name]}`, { groups: [group] });
  }
  const access = [
    { group: 'readers', kinds: ['read'] },
    { group: 'writers', kinds: ['read', 'write'] },
    { group: 'former' },
  ];
  expect((await at.admin('PATCH', '/servers/team', { access })).status).toBe(200);

  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const reads = ['list_orders', 'get_order'];
  const writes = [...reads, 'create_order'];
  actors.push(['nobody', {}, null], ['a forged token', bearer('x'.repeat(43)), null]);
  actors.push(['the app of a reader', bearer(await connect(readers)), reads]);
  actors.push(['the app of a writer', bearer(await connect(writers)), writes]);
  actors.push(['the app of a writer, reading only', bearer(await connect(writers, ['read'])), reads]);
  actors.push(['the app of a writer, without tools', bearer(await connect(writers, [])), []]);
  actors.push(['the app of someone in no group', bearer(await connect(outsider)), null]);
  actors.push([
    'the app of a writer at another server',
    bearer(await connect(writers, undefined, 'other')),
    null,
  ]);
  for (const [person, tools] of [
    [readers, reads],
    [writers, writes],
    [outsider, null],
  ] as const) {
    const session = await signIn(person);
    const made = await session('POST', '/me/keys', { name: 'script' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    actors.push([`a key of ${person.name}`, bearer(made.body.key), tools]);
    const bound = await session('POST', '/me/keys', { name: 'elsewhere', servers: ['other'] });
    if (bound.status === 201)
      actors.push([`a key of ${person.name} for another server`, bearer(bound.body.key), null]);
    actors.push([`the session of ${person.name}`, { cookie: session.cookie }, null]);
  }
  const terminal = await signIn(writers);
  const begun = await terminal('POST', '/login', { machine: 'x' });
  await terminal('POST', '/login/approve', { code: begun.body.userCode });
  const login = await terminal('POST', '/login/token', { deviceCode: begun.body.deviceCode });
  actors.push(['the login of a command line', bearer(login.body.token), null]);
  actors.push(['the app of someone who was disabled', bearer(await connect(disabled)), null]);
  const off = await at.admin('PATCH', `/people/${personIds[disabled.name]}`, { disabled: true });
  expect(off.status, JSON.stringify(off.body)).toBe(200);
  const key = await at.admin('POST', '/keys', { name: 'all' });
  actors.push(['the key of a program', bearer(key.body.key), all]);
  const some = await at.admin('POST', '/keys', { name: 'some', tools: ['get_order'] });
  actors.push(['the key of a program, for one tool', bearer(some.body.key), ['get_order']]);
  const foreign = await at.admin('POST', '/keys', { name: 'foreign', servers: ['other'] });
  actors.push(['the key of a program for another server', bearer(foreign.body.key), null]);
  const token = await at.admin('POST', '/api-tokens', { name: 'robot', role: 'owner' });
  actors.push(['an API token', bearer(token.body.token), null]);
});
afterAll(() => at.stop());

/** An access token for an app of a person, who leaves these kinds checked. */
async function connect(person: Person, kinds?: readonly string[], server = 'team'): Promise<string> {
  const app = new RawApp(at.url);
  await app.register({ client_name: `App of ${person.name}` });
  const back = await agree(
    new PageReader(at.url),
    app.authorizeUrl(`${at.url}/mcp/${server}`),
    person,
    (fields) =>
      kinds === undefined
        ? fields
        : fields.filter(([name, value]) => name !== 'kind' || kinds.includes(value)),
  );
  const { body } = await app.exchange(back.searchParams.get('code')!);
  return String(body.access_token);
}

async function signIn({ name, password }: Person) {
  const answer = await fetch(`${at.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  const { csrf } = (await answer.json()) as { csrf: string };
  const cookie = answer.headers.getSetCookie()[0]!.split(';', 1)[0]!;
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${at.url}/api/v1${path}`, {
      method,
      headers: { cookie, 'x-handrail-csrf': csrf, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
    return { status: reply.status, body: (await reply.json().catch(() => null)) as any };
  };
  return Object.assign(ask, { cookie });
}

type Headers = Record<string, string>;

async function send(path: string, headers: Headers, body?: unknown) {
  const answer = await fetch(`${at.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const bearerIn = ({ authorization }: Headers): string | null =>
  authorization?.slice('Bearer '.length) ?? null;

/** Each surface: how it shows tools, and what a call of one answers. Names that it doesn't show are unknown there. */
const lists: Readonly<Record<string, (headers: Headers) => Promise<{ status: number; text: string }>>> = {
  async 'MCP list'(headers) {
    const { status, body } = await rpc(team, bearerIn(headers), 'tools/list', {});
    return { status, text: JSON.stringify(body.result ?? body) };
  },
  async 'MCP search'(headers) {
    await at.admin('PATCH', '/servers/team', { mode: 'search' });
    try {
      const args = { name: 'search_tools', arguments: { query: 'order', limit: 20 } };
      const { status, body } = await rpc(team, bearerIn(headers), 'tools/call', args);
      return { status, text: JSON.stringify(body.result ?? {}) };
    } finally {
      await at.admin('PATCH', '/servers/team', { mode: 'direct' });
    }
  },
  'OpenAPI document': (headers) => send('/mcp/team/openapi.json', headers),
  'explorer list': (headers) => send('/explorer/team/tools', headers),
};

const calls: Readonly<
  Record<string, (headers: Headers, tool: string) => Promise<{ status: number; text: string }>>
> = {
  async 'MCP call'(headers, tool) {
    const { status, body } = await rpc(team, bearerIn(headers), 'tools/call', { name: tool, arguments: {} });
    return { status, text: JSON.stringify(body.result ?? body) };
  },
  async 'call from a script'(headers, tool) {
    await at.admin('PATCH', '/servers/team', { mode: 'code', code: { may: 'destructive' } });
    try {
      const args = { name: 'run_code', arguments: { code: `return await tools.shop.${tool}({})` } };
      const { status, body } = await rpc(team, bearerIn(headers), 'tools/call', args);
      return { status, text: JSON.stringify(body.result ?? body) };
    } finally {
      await at.admin('PATCH', '/servers/team', { mode: 'direct' });
    }
  },
  'REST call': (headers, tool) => send(`/mcp/team/tools/${tool}`, headers, {}),
  'explorer call': (headers, tool) => send(`/explorer/team/tools/${tool}/call`, headers, {}),
};

it.each(Object.keys(lists))('%s shows each only what they may use', async (surface) => {
  const wrong: unknown[] = [];
  for (const [who, headers, tools] of actors) {
    if (headers['cookie'] !== undefined && surface.startsWith('MCP')) continue;
    const { status, text } = await lists[surface]!(headers);
    const isIn = status === 200;
    if (isIn !== (tools !== null)) wrong.push([who, status, text.slice(0, 200)]);
    const seen = all.filter((name) => text.includes(name));
    const expected = tools ?? [];
    // A search shows the best of them.
    const isEnough =
      surface === 'MCP search' ? seen.length > 0 === expected.length > 0 : seen.length === expected.length;
    if (seen.some((name) => !expected.includes(name)) || !isEnough) wrong.push([who, seen, expected]);
  }
  expect(wrong).toEqual([]);
});

it.each(Object.keys(calls))('%s does for each only what they may', async (surface) => {
  const wrong: unknown[] = [];
  for (const [who, headers, tools] of actors) {
    if (headers['cookie'] !== undefined && surface.startsWith('MCP')) continue;
    for (const tool of all) {
      const { status, text } = await calls[surface]!(headers, tool);
      const isDone = status === 200 && !text.includes('"isError":true') && !text.includes('"error"');
      if (isDone !== (tools?.includes(tool) ?? false)) wrong.push([who, tool, status, text.slice(0, 200)]);
    }
  }
  expect(wrong).toEqual([]);
});

it('holds for no admin surface, whatever opens a server', async () => {
  const wrong: unknown[] = [];
  for (const [who, headers] of actors) {
    // These are for the admin API.
    if (headers['cookie'] !== undefined || who === 'an API token' || who.startsWith('the login')) continue;
    for (const path of ['/api/v1/apis', '/api/v1/people', '/api/v1/me', '/api/v1/audit', '/mcp/_admin']) {
      const { status } = await send(path, headers, path === '/mcp/_admin' ? {} : undefined);
      if (status !== 401) wrong.push([who, path, status]);
    }
  }
  expect(wrong).toEqual([]);
});

it('ends with a group, within a second and for everything that was open', async () => {
  const mine = actors.filter(([who]) => who.includes('of a writer') || who.includes('of Wim'));
  const open = mine.filter(([, , tools]) => tools !== null && tools.length > 0);
  expect(open.length).toBeGreaterThan(2);
  await at.admin('PATCH', `/people/${personIds[writers.name]}`, { groups: [] });
  for (const [who, headers] of open)
    expect([who, (await lists['MCP list']!(headers)).status]).toEqual([who, 403]);
  await at.admin('PATCH', `/people/${personIds[writers.name]}`, { groups: ['readers'] });
  for (const [who, headers] of open) {
    const { text } = await lists['MCP list']!(headers);
    expect([who, all.filter((name) => text.includes(`"${name}"`))]).toEqual([
      who,
      ['list_orders', 'get_order'],
    ]);
  }
  await at.admin('DELETE', `/people/${personIds[writers.name]}`);
  for (const [who, headers] of mine) {
    if (headers['cookie'] !== undefined) continue;
    expect([who, (await lists['MCP list']!(headers)).status]).toEqual([who, 401]);
  }
});

it('has its owner in no list of those who may use it by mistake', async () => {
  // Owners manage access; to use a server, they are in its rules like anyone.
  const owner = await connect(ada);
  expect((await rpc(team, owner, 'tools/list', {})).status).toBe(403);
});
