import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionOf, startGateway, type TestGateway } from '../../../test/support/gateway.ts';

let at: TestGateway;
const keys: Record<string, string> = { wrong: 'hrk_wrong' };

beforeAll(async () => {
  at = await startGateway({ demo: true });
  await at.request('POST', '/api/v1/servers', { slug: 'keyed', tools: '*', policy: { kind: 'key' } });
  await at.request('POST', '/api/v1/servers', { slug: 'off', tools: '*', enabled: false });
  for (const [name, tools] of [['all'], ['one', ['get_weather']]] as const) {
    const made = await at.request('POST', '/api/v1/keys', { name, ...(tools !== undefined && { tools }) });
    keys[name] = made.json<{ key: string }>().key;
  }
});
afterAll(() => at.close());

const ask = (method: string, path: string, who: string, body?: unknown) =>
  at.request(method, path, body, who === 'nobody' ? {} : { authorization: `Bearer ${keys[who]}` });

it.each([
  ['GET', '/explorer/keyed', 'nobody', 200],
  ['GET', '/explorer/keyed/', 'nobody', 200],
  ['GET', '/explorer/keyed/?x=1', 'nobody', 200],
  ['HEAD', '/explorer/keyed', 'nobody', 200],
  ['GET', '/explorer/keyed/tools', 'nobody', 401],
  ['GET', '/explorer/keyed/about', 'nobody', 401],
  ['GET', '/explorer/keyed/about', 'one', 200],
  ['GET', '/explorer/default/about', 'nobody', 200],
  ['GET', '/explorer/keyed/tools', 'wrong', 401],
  ['GET', '/explorer/keyed/tools', 'all', 200],
  ['GET', '/explorer/keyed/tools/get_weather', 'nobody', 401],
  ['GET', '/explorer/keyed/tools/get_weather', 'one', 200],
  ['GET', '/explorer/keyed/tools/weather_get', 'one', 404],
  ['POST', '/explorer/keyed/tools/get_weather/call', 'nobody', 401],
  ['POST', '/explorer/keyed/tools/get_weather/call', 'one', 200],
  ['POST', '/explorer/keyed/tools/weather_get/call', 'one', 404],
  ['GET', '/explorer/default/tools', 'nobody', 200],
  ['GET', '/explorer/off', 'all', 200],
  ['GET', '/explorer/nothing', 'all', 200],
  ['DELETE', '/explorer/keyed/tools', 'all', 404],
])('%s %s by %s: %i', async (method, path, who, status) => {
  const body = method === 'POST' ? { city: 'Oslo' } : undefined;
  expect((await ask(method, path, who, body)).statusCode).toBe(status);
});

it.each([
  ['all', 10],
  ['one', 1],
])('shows whoever has the key "%s" the %i tools that it opens', async (who, count) => {
  const shown = (await ask('GET', '/explorer/keyed/tools', who)).json<unknown[]>();
  expect(shown).toHaveLength(count);
});

it('tells whoever may use a server what it is for and where clients connect', async () => {
  const words = { description: 'For the sales team', instructions: 'Ask before you order.' };
  await at.request('PATCH', '/api/v1/servers/keyed', words);
  expect((await ask('GET', '/explorer/keyed/about', 'one')).json()).toEqual({
    title: 'keyed',
    ...words,
    address: expect.stringMatching(/^http:.*\/mcp\/keyed$/),
  });
  expect((await ask('GET', '/explorer/keyed/about', 'nobody')).body).not.toContain('sales');
});

it('shows a change of the server at once', async () => {
  const described = async () => (await ask('GET', '/explorer/default/tools', 'nobody')).body;
  expect(await described()).not.toContain('Rain or shine');
  await at.request('PATCH', '/api/v1/tools/get_weather', { description: 'Rain or shine' });
  expect(await described()).toContain('Rain or shine');
});

it('passes on what the API answered, beside the 500 that the contract asks for', async () => {
  const failed = await ask('POST', '/explorer/default/tools/demo_failing/call', 'nobody', {});
  expect([failed.statusCode, failed.headers['x-upstream-status']]).toEqual([500, '503']);
});

it('lets an admin in who is signed in and may call tools, unless a key is sent', async () => {
  const token = await at.gateway.signIn.makeSetupToken();
  const owner = await at.request(
    'POST',
    '/api/v1/setup',
    { token, name: 'ada', password: 'a long enough password' },
    {},
  );
  const { cookie } = sessionOf(owner);
  const made = await at.request('POST', '/api/v1/people', { name: 'vera', role: 'viewer' });
  const { invitationUrl } = made.json<{ invitationUrl: string }>();
  const viewer = await at.request(
    'POST',
    '/api/v1/invitation/accept',
    { token: new URL(invitationUrl).hash.slice(1), password: 'another long password' },
    {},
  );
  const list = async (headers: Record<string, string>) =>
    (await at.request('GET', '/explorer/keyed/tools', undefined, headers)).statusCode;
  expect(await list({ cookie })).toBe(200);
  expect(await list({ cookie: sessionOf(viewer).cookie })).toBe(401);
  expect(await list({ cookie: 'handrail=forged' })).toBe(401);
  expect(await list({ cookie, authorization: `Bearer ${keys['wrong']}` })).toBe(401);
  const called = await at.request(
    'POST',
    '/explorer/keyed/tools/get_weather/call',
    { city: 'Oslo' },
    { cookie },
  );
  expect(called.statusCode).toBe(200);
  const foreign = await at.request(
    'POST',
    '/explorer/keyed/tools/get_weather/call',
    { city: 'Oslo' },
    { cookie, origin: 'https://elsewhere.example' },
  );
  expect(foreign.statusCode).toBe(403);
  const newest = await at.request('GET', '/api/v1/calls?limit=1');
  expect(newest.json()).toMatchObject({ items: [{ caller: 'ada', surface: 'explorer', server: 'keyed' }] });
});
