import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';

let at: TestGateway;
let key: string;

beforeAll(async () => {
  at = await startGateway({ demo: true });
  await at.request('POST', '/api/v1/servers', {
    slug: 'keyed',
    name: 'Keyed',
    tools: '*',
    policy: { kind: 'key' },
  });
  await at.request('POST', '/api/v1/servers', { slug: 'off', tools: '*', enabled: false });
  key = (await at.request('POST', '/api/v1/keys', { name: 'right' })).json<{ key: string }>().key;
});
afterAll(() => at.close());

const pages = ['/mcp/server-card', '/.well-known/mcp/server-card.json', '/mcp/server.json'];

it.each(pages)('%s describes the default server to anyone who may connect', async (path) => {
  const answer = await at.request('GET', path, undefined, {});
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('/mcp"');
});

it.each([
  ['/mcp/keyed/server-card', 'nobody', 401],
  ['/mcp/keyed/server.json', 'nobody', 401],
  ['/mcp/keyed/server-card', 'wrong', 401],
  ['/mcp/keyed/server-card', 'right', 200],
  ['/mcp/keyed/server.json', 'right', 200],
  ['/mcp/off/server-card', 'right', 404],
  ['/mcp/nothing/server.json', 'right', 404],
])('%s for %s: %i', async (path, who, status) => {
  const headers: Record<string, string> =
    who === 'nobody' ? {} : { authorization: `Bearer ${who === 'right' ? key : 'hrk_wrong'}` };
  const answer = await at.request('GET', path, undefined, headers);
  expect(answer.statusCode).toBe(status);
  expect(answer.body.includes('/mcp/keyed')).toBe(status === 200);
});

it.each(pages)('%s is sent again only when it changed', async (path) => {
  const first = await at.request('GET', path, undefined, {});
  const tag = String(first.headers['etag']);
  const again = await at.request('GET', path, undefined, { 'if-none-match': tag });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  await at.request('PATCH', '/api/v1/servers/default', { description: `for ${path}` });
  expect((await at.request('GET', path, undefined, { 'if-none-match': tag })).statusCode).toBe(200);
});
