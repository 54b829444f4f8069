import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../test/support/gateway.ts';

let at: TestGateway;
beforeAll(async () => {
  at = await startGateway({ demo: true, allowedOrigins: ['https://app.example.com'] });
});
afterAll(() => at.close());

/** One path of every group of routes. */
const groups = [
  '/healthz',
  '/mcp/tools/list',
  '/mcp',
  '/mcp/server-card',
  '/icons/none',
  '/explorer/default',
  '/oauth/callback',
  '/metrics',
  '/.well-known/oauth-protected-resource/mcp/default',
  '/api/v1/apis',
  '/admin/',
  '/no-such-page',
];

describe.each(groups)('%s', (path) => {
  it('is behind the guards: a name that is not ours is refused', async () => {
    const answer = await at.request('GET', path, undefined, { host: 'evil.example.com' });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([403, 'forbidden']);
  });

  it('is behind the guards: so is a page of another origin', async () => {
    const origin = 'https://evil.example.com';
    const answer = await at.request('GET', path, undefined, { origin });
    // Apps in browsers read these from their own origins; they reveal nothing, and take no cookie.
    const isForAnyone = path.startsWith('/.well-known/oauth-');
    expect(answer.statusCode).toBe(isForAnyone ? 404 : 403);
    expect(answer.headers['access-control-allow-origin']).toBe(isForAnyone ? origin : undefined);
    expect(answer.headers['access-control-allow-credentials']).toBe(undefined);
  });

  it('lets a page of an allowed origin read, and asks no browser to guess types', async () => {
    const origin = 'https://app.example.com';
    const answer = await at.request('GET', path, undefined, { origin });
    expect(answer.statusCode).not.toBe(403);
    if (path !== '/mcp') expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('answers what a browser asks beforehand', async () => {
    const asked = { origin: 'https://app.example.com', 'access-control-request-headers': 'x-my-key' };
    const answer = await at.request('OPTIONS', path, undefined, asked);
    expect(answer.statusCode).toBe(204);
    expect(answer.headers['access-control-allow-headers']).toMatch(/Authorization, .*, x-my-key$/);
  });
});

it.each([
  ['x'.repeat(1_001), 'too many'],
  ['x-a\r\nx-b: 1', 'a line end'],
  ['x-a; x-b', 'no list of names'],
])('does not repeat names of headers that are none', async (names) => {
  const asked = { origin: 'https://app.example.com', 'access-control-request-headers': names };
  const answer = await at.request('OPTIONS', '/mcp', undefined, asked);
  expect(answer.headers['access-control-allow-headers']).toMatch(/traceparent$/);
});
