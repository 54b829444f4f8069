import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';

const base = '/.well-known/oauth-protected-resource/mcp';
const issuer = 'https://issuer.example.com';
let at: TestGateway;

beforeAll(async () => {
  at = await startGateway({ publicUrl: 'https://tools.example.com' });
  const serve = (slug: string, policy: object, more: object = {}) =>
    at.request('POST', '/api/v1/servers', { slug, tools: '*', policy, ...more });
  await serve('plain', { kind: 'oauth', issuer });
  await serve('scoped', { kind: 'oauth', issuer, scopes: ['use', 'look'] }, { name: 'Scoped tools' });
  await serve('keyed', { kind: 'key' });
  await serve('off', { kind: 'oauth', issuer }, { enabled: false });
});
afterAll(() => at.close());

it.each([
  [
    'plain',
    {
      resource: 'https://tools.example.com/mcp/plain',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    },
  ],
  [
    'scoped',
    {
      resource: 'https://tools.example.com/mcp/scoped',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['use', 'look'],
    },
  ],
])('anyone may read what a token for "%s" must be', async (slug, metadata) => {
  const answer = await at.request('GET', `${base}/${slug}`, undefined, {});
  expect([answer.statusCode, answer.json()]).toEqual([200, metadata]);
});

it.each(['keyed', 'off', 'nothing', ''])('there is no metadata of "%s"', async (slug) => {
  const answer = await at.request('GET', `${base}/${slug}`, undefined, {});
  expect(answer.statusCode).toBe(404);
});

it('tells a client that wants to register to send a key', async () => {
  const answer = await at.request('POST', '/register', { client_name: 'x' }, {});
  expect(answer.statusCode).toBe(404);
  expect(answer.json()).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('access key') as unknown,
  });
});
