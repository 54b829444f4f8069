import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRouter } from '../router.ts';
import type { AppContext } from '../app-context.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

/** The pages of the docs, as every build makes them (web/docs). */
export async function createDocsFiles(
  context: Pick<AppContext, 'config' | 'log'>,
  folder: string,
): Promise<FastifyInstance> {
  const router = createRouter(context);
  const notFound = await readFile(join(folder, '404.html'));
  const sendNotFound = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .headers(guards)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .code(404)
      .send(notFound);
  router.register(
    async (docs) => {
      await docs.register(fastifyStatic, {
        root: folder,
        index: false,
        dotfiles: 'ignore',
        cacheControl: false,
        acceptRanges: false,
        setHeaders: (reply) => {
          for (const [name, value] of Object.entries(guards)) reply.header(name, value);
          reply.header('cache-control', 'no-cache');
        },
      });
      // Links are relative to the folder, so the URL must end with a slash.
      docs.get('/', (request, reply) =>
        request.url.split('?', 1)[0]!.endsWith('/')
          ? reply.sendFile('index.html')
          : reply.redirect('/docs/', 308),
      );
      docs.setNotFoundHandler(sendNotFound);
      // A folder, or a path that would leave it, is not a page either.
      docs.setErrorHandler((error, request, reply) => {
        if (objectOr(error)['statusCode'] !== 403) throw error;
        return sendNotFound(request, reply);
      });
    },
    { prefix: '/docs' },
  );
  return router;
}

/** Allows only our own script and style sheet, and nothing from other origins. */
const guards: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
