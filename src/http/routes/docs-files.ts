import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRouter } from '../router.ts';
import type { AppContext } from '../app-context.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { errorCode } from '../../lib/thrown-errors.ts';

/** The files of the documentation site, as built by `npm run site`. */
export async function createDocsFiles(
  context: Pick<AppContext, 'config' | 'log'>,
  folder: string,
): Promise<FastifyInstance> {
  const scripts = await readScripts(folder);
  const router = createRouter(context);
  if (scripts === null) {
    for (const url of ['/docs', '/docs/*'])
      router.get(url, (_request, reply) => guard(reply, []).code(404).send(notBuilt));
    return router;
  }
  const notFound = await readFile(join(folder, '404.html'));
  const sendNotFound = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    guard(reply, scripts).code(404).send(notFound);
  router.register(
    async (docs) => {
      await docs.register(fastifyStatic, {
        root: folder,
        index: false,
        dotfiles: 'ignore',
        cacheControl: false,
        etag: false,
        lastModified: false,
        acceptRanges: false,
        setHeaders: (reply, path) => {
          reply.header('cache-control', cachingOf(path.slice(folder.length)));
          for (const [name, value] of Object.entries(guards(scripts))) reply.header(name, value);
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

/** The hashes of inline scripts; null when the site is not built. */
async function readScripts(folder: string): Promise<readonly string[] | null> {
  let text: string;
  try {
    text = await readFile(join(folder, 'inline-scripts.json'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const hashes: unknown = JSON.parse(text);
  if (!Array.isArray(hashes))
    throw new Error('inline-scripts.json of the site is not a list. Build the site again.');
  return hashes.map(String);
}

/** The generator puts a hash of the content into the names of files in assets/, so they never change. */
function cachingOf(path: string): string {
  return /^[\\/]?assets[\\/]/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** Allows only our own scripts and nothing from other origins. Inline styles color the code samples. */
function guards(scripts: readonly string[]): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${scripts.map((hash) => `'${hash}'`).join(' ')}`.trim(),
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

function guard(reply: FastifyReply, scripts: readonly string[]): FastifyReply {
  return reply.headers(guards(scripts)).type('text/html; charset=utf-8').header('cache-control', 'no-store');
}

const notBuilt =
  '<!doctype html><html lang="en"><title>Handrail</title><h1>The documentation is not part of this installation</h1>' +
  '<p>Read it <a href="https://github.com/handrail/handrail/blob/main/docs/index.md">in the repository</a>, or build it in a ' +
  'clone with <code>npm run site</code> and start again. The image has it.</p></html>';
