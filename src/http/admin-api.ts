import type { FastifyInstance } from 'fastify';
import { handOverTo } from './lazy-app.ts';
import type { AppContext } from './app-context.ts';

/** Everything under `/api`: the admin API, the largest part of the HTTP surface, loaded when it is first asked. */
export function mountAdminApi(app: FastifyInstance, context: AppContext): void {
  const handOver = handOverTo(async () => (await import('./admin/mount.ts')).createAdminApi(context));
  for (const url of ['/api', '/api/*']) app.all(url, handOver, () => undefined);
}
