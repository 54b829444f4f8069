import type { FastifyInstance } from 'fastify';
import { fileURLToPath } from 'node:url';
import { forwardTo } from '../lazy-app.ts';
import type { AppContext } from '../app-context.ts';

/** The build folder of the app: next to the compiled gateway, or in dist/ when running from source. */
const builtApp = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/web/admin/' : '../../web/admin/', import.meta.url),
);

/** The admin web app at `/admin`, loaded on the first request; browsers are redirected there from `/`, and to everyone's own page from `/me`. */
export function mountAdminApp(
  app: FastifyInstance,
  context: Pick<AppContext, 'config' | 'log'>,
  folder: string = builtApp,
): void {
  const forward = forwardTo(async () =>
    (await import('./admin-app-files.ts')).createAdminAppFiles(context, folder),
  );
  for (const url of ['/admin', '/admin/*']) app.get(url, forward, () => undefined);
  app.get('/me', (_request, reply) => reply.redirect('/admin/me', 302));
  app.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html') === true) return reply.redirect('/admin', 302);
    return reply.callNotFound();
  });
}
