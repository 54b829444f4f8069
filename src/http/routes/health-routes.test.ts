import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { openTestRegistry } from '../../../test/support/opened-registry.ts';
import { mountHealthRoutes } from './health-routes.ts';

it.each([
  ['with its store', false, '/healthz', 200, { status: 'ok' }],
  ['with its store', false, '/readyz', 200, { status: 'ready' }],
  ['without its store', true, '/healthz', 200, { status: 'ok' }],
  ['without its store', true, '/readyz', 503, { status: 'unavailable' }],
])('a gateway %s (%s) answers %s with %i', async (_what, isGone, path, status, body) => {
  const { store, close } = await openTestRegistry();
  if (isGone) await store.close();
  const app = Fastify();
  mountHealthRoutes(app, { store });
  const answer = await app.inject(path);
  expect([answer.statusCode, answer.json()]).toEqual([status, body]);
  expect((await app.inject({ method: 'HEAD', url: path })).statusCode).toBe(status);
  await app.close();
  await close();
});
