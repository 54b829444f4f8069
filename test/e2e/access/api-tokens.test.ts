import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const make = async (body: object): Promise<{ id: string; token: string }> =>
  (await gateway.admin('POST', '/api-tokens', { name: 'robot', ...body })).body;
const as = (token: string) => ({ authorization: `Bearer ${token}` });

test('a token may what its role and scopes allow, and shows its last use', async () => {
  const { id, token } = await make({ role: 'editor', scopes: ['calls:read', 'servers:write'] });
  const status = async (method: string, path: string, body?: object) =>
    (await gateway.admin(method, path, body, as(token))).status;
  expect(await status('GET', '/calls')).toBe(200);
  expect(await status('POST', '/keys', { name: 'x' })).toBe(403);
  expect(await status('GET', '/servers')).toBe(200);
  expect(await status('POST', '/servers', { slug: 'made', tools: [], policy: 'key' })).toBe(201);
  expect(await status('GET', '/keys')).toBe(403);
  expect(await status('GET', '/people')).toBe(403);
  expect((await gateway.admin('GET', `/api-tokens/${id}`)).body.lastUsedAt).toMatch(/^20/);
  const log = await gateway.admin('GET', '/audit?action=server.create');
  expect(log.body.items[0].actor).toMatchObject({ id, name: 'robot' });
});

test('it is shown once, and ends when it is revoked or deleted', async () => {
  const { id, token } = await make({ role: 'viewer' });
  const stored = JSON.stringify((await gateway.admin('GET', '/api-tokens')).body);
  expect(stored).not.toContain(token);
  expect((await gateway.admin('GET', '/apis', undefined, as(token))).status).toBe(200);
  await gateway.admin('POST', `/api-tokens/${id}/revoke`);
  expect((await gateway.admin('GET', '/apis', undefined, as(token))).status).toBe(401);
  expect((await gateway.admin('DELETE', `/api-tokens/${id}`)).status).toBe(204);
});

test('it never makes one that may more than itself', async () => {
  const editor = await make({ role: 'editor' });
  const scoped = await make({ role: 'owner', scopes: ['api-tokens:write'] });
  const owner = await make({ role: 'owner' });
  const create = async (by: string, role: string) =>
    (await gateway.admin('POST', '/api-tokens', { name: 'more', role }, as(by))).status;
  expect(await create(editor.token, 'viewer')).toBe(403);
  expect(await create(scoped.token, 'viewer')).toBe(403);
  expect(await create(owner.token, 'owner')).toBe(201);
});

test('it may no more than the person who created it does now, and ends with them', async () => {
  const { signIn, people } = gateway.gateway.context;
  const password = 'seven green umbrellas dance';
  const from = { address: '127.0.0.1', userAgent: '' };
  const setup = (await signIn.makeSetupToken())!;
  await signIn.setUp(setup, 'Ada', password, from);
  const invited = await gateway.admin('POST', '/people', { name: 'Bob', role: 'owner' });
  const link = new URL(invited.body.invitationUrl).hash.slice(1);
  const accepted = await signIn.accept(link, password, from);
  if ('pending' in accepted) throw new Error('asked for a second factor');
  const { token: session, principal } = accepted;
  const answer = await fetch(`${gateway.url}/api/v1/api-tokens`, {
    method: 'POST',
    headers: {
      cookie: `handrail=${session}`,
      'x-handrail-csrf': principal.csrf,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'bobs', role: 'owner' }),
  });
  expect(answer.status).toBe(201);
  const { token } = (await answer.json()) as { token: string };
  const status = async (path: string) => (await gateway.admin('GET', path, undefined, as(token))).status;
  expect(await status('/people')).toBe(200);
  const by = { id: 'test', label: 'test' };
  await people.update(by, principal.id, { role: 'viewer' });
  expect([await status('/people'), await status('/apis')]).toEqual([403, 200]);
  await people.remove(by, principal.id);
  expect(await status('/apis')).toBe(401);
});
