import type { FastifyInstance } from 'fastify';
import type { Store } from '../../storage/ports.ts';
import type { AppContext } from '../app-context.ts';

// How long a write waits for the lock before it fails.
const maxStalledMs = 30_000;
// Records are written within 50 ms. Other writes can succeed while these fail.
const maxUnwrittenMs = 60_000;

/**
 * Liveness and readiness: public, and with as little detail as possible. Neither queries the store, which may hang.
 * Calls are served from memory, so an unreachable store makes the gateway not ready only once it misses too many
 * changes from other processes. A store that can be read but not written makes it not ready soon: records pile up,
 * and nothing can be saved.
 */
export function mountHealthRoutes(
  app: FastifyInstance,
  {
    lag,
    isLeaving,
    config,
    store,
    recorder,
  }: Pick<AppContext, 'lag' | 'isLeaving' | 'config'> & {
    readonly store: Pick<Store, 'state'>;
    readonly recorder: Pick<AppContext['recorder'], 'oldestWaitingMs'>;
  },
): void {
  for (const path of ['/livez', '/healthz'])
    app.get(path, (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  const readiness = () => {
    if (isLeaving()) return 'leaving';
    const lagMs = lag.lagMs();
    if (lagMs > config.maxRegistryLagMs) return 'behind';
    // Only the time beyond the period in which it couldn't be read either.
    if (store.state().stalledMs - lagMs > maxStalledMs) return 'stalled';
    return recorder.oldestWaitingMs - lagMs > maxUnwrittenMs ? 'records waiting' : 'ready';
  };
  app.get('/readyz', (_request, reply) => {
    const status = readiness();
    return reply
      .code(status === 'ready' ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify({ status }));
  });
}
