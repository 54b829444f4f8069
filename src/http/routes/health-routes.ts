import type { FastifyInstance } from 'fastify';
import type { Store } from '../../storage/ports.ts';
import type { AppContext } from '../app-context.ts';

// As long as a write waits for the lock before it fails.
const maxStalledMs = 30_000;

/**
 * Liveness and readiness: open, and saying no more than they must. Neither asks the store, which may hang: calls are
 * served from memory, so a store that is away is a reason to leave only once it hides too much of what others changed. One
 * that can be read but takes no writes is a reason soon: records pile up, and nothing that is asked for can be kept.
 */
export function mountHealthRoutes(
  app: FastifyInstance,
  {
    lag,
    isLeaving,
    config,
    store,
  }: Pick<AppContext, 'lag' | 'isLeaving' | 'config'> & {
    readonly store: Pick<Store, 'state'>;
  },
): void {
  for (const path of ['/livez', '/healthz'])
    app.get(path, (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  const readiness = () => {
    if (isLeaving()) return 'leaving';
    const lagMs = lag.lagMs();
    if (lagMs > config.maxRegistryLagMs) return 'behind';
    // Longer than it could not be read either.
    return store.state().stalledMs - lagMs > maxStalledMs ? 'stalled' : 'ready';
  };
  app.get('/readyz', (_request, reply) => {
    const status = readiness();
    return reply
      .code(status === 'ready' ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify({ status }));
  });
}
