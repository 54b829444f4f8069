import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashSecret, sameHash } from '../../access/secrets.ts';
import { createGate } from '../admin/gate.ts';
import { isPrivateToThisMachine } from '../../config/reachable.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Metrics for Prometheus. Public if only this machine can reach the gateway and no metrics token is set; otherwise a
 * request needs the metrics token, from any address, or admin credentials.
 */
export function mountMetricsRoute(app: FastifyInstance, context: AppContext): void {
  const { config, scrape } = context;
  const scraping = config.metricsToken === undefined ? null : hashSecret(`Bearer ${config.metricsToken}`);
  const mayScrape = ({ headers }: FastifyRequest): boolean =>
    scraping !== null && sameHash(hashSecret(headers.authorization ?? ''), scraping);
  const open = scraping === null && isPrivateToThisMachine(config);
  const gate = createGate(context);
  app.get('/metrics', async (request, reply) => {
    if (!open && !mayScrape(request))
      await gate.admit(request, { access: 'viewer', tag: 'metrics', method: 'GET' });
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(await scrape());
  });
}
