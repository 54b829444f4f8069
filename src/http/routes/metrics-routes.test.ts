import { expect, it } from 'vitest';
import { adminToken, startGateway } from '../../../test/support/gateway.ts';

const anybody = {};
const wrong = { authorization: 'Bearer wrong' };
const metricsToken = 'a-token-that-may-only-scrape';
const scraper = { authorization: `Bearer ${metricsToken}` };
const admin = { authorization: `Bearer ${adminToken}` };

it.each([
  ['this machine alone', {}, anybody, 200],
  ['this machine alone', {}, wrong, 200],
  ['a proxy in front', { trustProxy: '10.0.0.0/8' }, anybody, 401],
  ['a proxy in front', { trustProxy: '10.0.0.0/8' }, wrong, 401],
  ['a proxy in front', { trustProxy: '10.0.0.0/8' }, admin, 200],
  ['an address of the network', { host: '0.0.0.0' }, anybody, 401],
  ['an address of the network', { host: '0.0.0.0' }, admin, 200],
  ['a public address', { publicUrl: 'https://tools.example.com' }, anybody, 401],
  ['a public address', { publicUrl: 'https://tools.example.com' }, admin, 200],
  ['an address of the network', { host: '0.0.0.0' }, scraper, 401],
  ['a token for it', { host: '0.0.0.0', metricsToken }, scraper, 200],
  ['a token for it', { host: '0.0.0.0', metricsToken }, wrong, 401],
  ['a token for it', { host: '0.0.0.0', metricsToken }, anybody, 401],
  ['a token for it', { host: '0.0.0.0', metricsToken }, admin, 200],
  ['a token for it where only this machine can ask', { metricsToken }, scraper, 200],
  ['a token for it where only this machine can ask', { metricsToken }, anybody, 401],
  [
    'a token for it and admins elsewhere',
    { host: '0.0.0.0', metricsToken, adminAllow: '10.9.9.9' },
    scraper,
    200,
  ],
])('metrics of a gateway with %s (%o) for %o: %i', async (_where, settings, headers, status) => {
  const at = await startGateway(settings);
  const answer = await at.request('GET', '/metrics', undefined, headers);
  expect(answer.statusCode).toBe(status);
  expect(answer.body.includes('handrail_build_info')).toBe(status === 200);
  if (status === 200)
    expect([answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ]);
  await at.close();
});

it('lets a token that may only scrape do nothing else', async () => {
  const at = await startGateway({ host: '0.0.0.0', metricsToken });
  for (const path of ['/api/v1/settings', '/api/v1/calls', '/api/v1/session'])
    expect((await at.request('GET', path, undefined, scraper)).statusCode).toBe(401);
  const call = await at.request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, scraper);
  expect(call.statusCode).toBe(401);
  await at.close();
});
