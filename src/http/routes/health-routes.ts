import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../app-context.ts';

/** Liveness and readiness: open, and saying no more than they must. */
export function mountHealthRoutes(app: FastifyInstance, { store }: Pick<AppContext, 'store'>): void {
  app.get('/healthz', (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  app.get('/readyz', async (_request, reply) => {
    try {
      await store.ping();
      return await reply.type('application/json').send('{"status":"ready"}');
    } catch {
      return reply.code(503).type('application/json').send('{"status":"unavailable"}');
    }
  });
}
