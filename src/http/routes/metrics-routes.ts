import type { FastifyInstance } from 'fastify';
import { createGate } from '../admin/gate.ts';
import { isPrivateToThisMachine } from '../../config/reachable.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Metrics for Prometheus. Open where only this machine can ask; where others can, or a proxy stands in front, they need
 * the admin token.
 */
export function mountMetricsRoute(app: FastifyInstance, context: AppContext): void {
  const { config, scrape } = context;
  const open = isPrivateToThisMachine(config);
  const gate = createGate(context);
  app.get('/metrics', async (request, reply) => {
    if (!open) await gate.admit(request, 'viewer');
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(await scrape());
  });
}
