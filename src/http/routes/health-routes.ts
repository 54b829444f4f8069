import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../app-context.ts';

/**
 * Liveness and readiness: open, and saying no more than they must. Neither asks the store, which may hang: calls are
 * served from memory, so a store that is away is a reason to leave only once it hides too much of what others changed.
 */
export function mountHealthRoutes(
  app: FastifyInstance,
  { lag, isLeaving, config }: Pick<AppContext, 'lag' | 'isLeaving' | 'config'>,
): void {
  for (const path of ['/livez', '/healthz'])
    app.get(path, (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  app.get('/readyz', (_request, reply) => {
    const status = isLeaving() ? 'leaving' : lag.lagMs() > config.maxRegistryLagMs ? 'behind' : 'ready';
    return reply
      .code(status === 'ready' ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify({ status }));
  });
}
