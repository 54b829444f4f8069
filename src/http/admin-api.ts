import type { FastifyInstance } from 'fastify';
import { forwardTo } from './lazy-app.ts';
import type { AppContext } from './app-context.ts';

/**
 * Everything under `/api`: the admin API. It is the largest part of the HTTP surface, so it loads on the first
 * request.
 */
export function mountAdminApi(app: FastifyInstance, context: AppContext): void {
  const forward = forwardTo(async () => (await import('./admin/mount.ts')).createAdminApi(context));
  for (const url of ['/api', '/api/*']) app.all(url, forward, () => undefined);
}
