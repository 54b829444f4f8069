import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { callbackPath } from './oauth-callback.ts';

let at: TestGateway;
beforeAll(async () => {
  at = await startGateway();
});
afterAll(() => at.close());

const hostile = '<script>alert(1)</script>';

it.each([
  ['nothing', ''],
  ['a code without a state', '?code=abc'],
  ['a state that we did not make', '?code=abc&state=made-up'],
  ['an empty state', '?code=abc&state='],
  ['two states', '?code=abc&state=a&state=b'],
  ['a very long state', `?code=abc&state=${'x'.repeat(5_000)}`],
  ['a refusal without a state', `?error=access_denied&error_description=${encodeURIComponent(hostile)}`],
  ['a refusal with a state that we did not make', `?error=access_denied&state=made-up`],
  ['markup', `?code=${encodeURIComponent(hostile)}&state=${encodeURIComponent(hostile)}`],
])('comes back with %s: a page that says so, and nothing else', async (_what, query) => {
  const answer = await at.request('GET', `${callbackPath}${query}`, undefined, {});
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(answer.statusCode).toBeLessThan(500);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect(answer.body).toContain('<h1>Not connected</h1>');
  expect(answer.body).not.toContain('<script');
});

it.each(['POST', 'PUT', 'DELETE'])('takes no %s', async (method) => {
  expect((await at.request(method, callbackPath, undefined, {})).statusCode).toBe(404);
});
