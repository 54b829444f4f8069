import type { FastifyInstance } from 'fastify';
import { fileURLToPath } from 'node:url';
import { forwardTo } from '../lazy-app.ts';
import type { AppContext } from '../app-context.ts';

/** Where every build puts the pages, seen from dist/http/routes and from src/http/routes. */
const builtPages = fileURLToPath(new URL('../../../dist/docs/', import.meta.url));

/** The documentation at `/docs`, loaded on the first request. */
export function mountDocs(
  app: FastifyInstance,
  context: Pick<AppContext, 'config' | 'log'>,
  folder: string = builtPages,
): void {
  const forward = forwardTo(async () => (await import('./docs-files.ts')).createDocsFiles(context, folder));
  for (const url of ['/docs', '/docs/*']) app.get(url, forward, () => undefined);
}
