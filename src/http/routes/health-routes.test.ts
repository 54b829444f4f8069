import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.ts';
import { mountHealthRoutes } from './health-routes.ts';

const config = { ...loadConfig({ env: {} }), maxRegistryLagMs: 5_000 };

it.each<
  [
    what: string,
    lagMs: number,
    stalledMs: number,
    isLeaving: boolean,
    path: string,
    code: number,
    status: string,
    oldestWaitingMs?: number,
  ]
>([
  ['in step', 0, 0, false, '/livez', 200, 'ok'],
  ['in step', 0, 0, false, '/healthz', 200, 'ok'],
  ['in step', 0, 0, false, '/readyz', 200, 'ready'],
  ['a little behind', 5_000, 0, false, '/readyz', 200, 'ready'],
  ['too far behind', 5_001, 0, false, '/readyz', 503, 'behind'],
  ['too far behind', 5_001, 0, false, '/livez', 200, 'ok'],
  ['writing with delay', 0, 30_000, false, '/readyz', 200, 'ready'],
  ['reading but not writing', 500, 30_501, false, '/readyz', 503, 'stalled'],
  ['reading but not writing', 500, 30_501, false, '/livez', 200, 'ok'],
  ['neither reading nor writing', 5_000, 35_000, false, '/readyz', 200, 'ready'],
  ['not recording calls', 500, 0, false, '/readyz', 503, 'records waiting', 60_501],
  ['recording with delay', 500, 0, false, '/readyz', 200, 'ready', 60_500],
  ['leaving', 0, 0, true, '/readyz', 503, 'leaving'],
  ['leaving', 0, 0, true, '/livez', 200, 'ok'],
  ['leaving', 0, 0, true, '/healthz', 200, 'ok'],
])('a gateway that is %s (%i and %i ms, leaving: %s) answers %s with %i', async (...row) => {
  const [, lagMs, stalledMs, isLeaving, path, code, status, oldestWaitingMs = 0] = row;
  const app = Fastify();
  mountHealthRoutes(app, {
    config,
    lag: { lagMs: () => lagMs, steadyMs: () => 0 },
    isLeaving: () => isLeaving,
    recorder: { oldestWaitingMs },
    store: {
      state: () => ({
        isUp: true,
        failures: 0,
        stalledMs,
        unownedTransactions: 0,
        connections: 1,
        connectionsInUse: 0,
        waiting: 0,
      }),
    },
  });
  const answer = await app.inject(path);
  expect([answer.statusCode, answer.json()]).toEqual([code, { status }]);
  expect((await app.inject({ method: 'HEAD', url: path })).statusCode).toBe(code);
  await app.close();
});
