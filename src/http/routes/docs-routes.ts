import type { FastifyInstance } from 'fastify';
import { fileURLToPath } from 'node:url';
import { forwardTo } from '../lazy-app.ts';
import type { AppContext } from '../app-context.ts';

/** Where `npm run site` puts the site: next to dist/ and src/. */
const builtSite = fileURLToPath(new URL('../../../site/dist/', import.meta.url));

/** The documentation at `/docs`, loaded on the first request. */
export function mountDocs(
  app: FastifyInstance,
  context: Pick<AppContext, 'config' | 'log'>,
  folder: string = builtSite,
): void {
  const forward = forwardTo(async () => (await import('./docs-files.ts')).createDocsFiles(context, folder));
  for (const url of ['/docs', '/docs/*']) app.get(url, forward, () => undefined);
}
