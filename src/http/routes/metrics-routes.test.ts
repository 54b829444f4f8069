import { expect, it } from 'vitest';
import { adminToken, startGateway } from '../../../test/support/gateway.ts';

const anybody = {};
const wrong = { authorization: 'Bearer wrong' };
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
