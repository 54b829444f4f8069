import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createRouter } from '../router.ts';
import type { AppContext } from '../app-context.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { errorCode } from '../../lib/thrown-errors.ts';

/**
 * The files of the admin app from its build folder, compressed except for small ones. Every path that isn't a file is
 * a page of the app itself.
 */
export function createAdminAppFiles(
  context: Pick<AppContext, 'config' | 'log'>,
  folder: string,
): FastifyInstance {
  // Read on each request: it may be built or replaced by a newer version while the gateway runs.
  async function sendPage(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    guardPage(reply);
    let page: Buffer;
    try {
      page = await readFile(join(folder, 'index.html'));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return reply.code(503).send(notBuilt);
    }
    return reply.send(page);
  }

  async function sendInstead(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!request.url.startsWith('/admin/assets/')) return sendPage(request, reply);
    const name = assetName.exec(request.url)?.[1];
    const bytes = name === undefined ? null : await readCompressed(join(folder, 'assets', `${name}.gz`));
    if (bytes !== null)
      return reply
        .type(typeOf[extname(name!)] ?? 'application/octet-stream')
        .header('cache-control', cachingOf('assets/'))
        .header('vary', 'accept-encoding')
        .send(bytes);
    return reply
      .code(404)
      .type('text/plain; charset=utf-8')
      .send('This file is not part of the app. Reload the page.');
  }

  const router = createRouter(context);
  router.register(
    async (admin) => {
      await admin.register(fastifyStatic, {
        root: folder,
        preCompressed: true,
        index: false,
        dotfiles: 'ignore',
        cacheControl: false,
        // Fastify derives it from size and time, and all files of an npm package have the same time, so two versions
        // could get the same tag.
        etag: false,
        lastModified: false,
        acceptRanges: false,
        setHeaders: (reply, path) => void reply.header('cache-control', cachingOf(path.slice(folder.length))),
      });
      for (const url of ['/', '/index.html']) admin.get(url, sendPage);
      admin.setNotFoundHandler(sendInstead);
      // A folder, or a path that would leave it, is not a file either.
      admin.setErrorHandler((error, request, reply) => {
        if (objectOr(error)['statusCode'] !== 403) throw error;
        return sendInstead(request, reply);
      });
    },
    { prefix: '/admin' },
  );
  return router;
}

/** Matches an asset by a single file name, which cannot lead to another folder. */
const assetName = /^\/admin\/assets\/([\w-]+\.[\w.-]+)$/;

const typeOf: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Decompresses a file for the rare client that doesn't accept compression; null when there is no such file. */
async function readCompressed(path: string): Promise<Buffer | null> {
  try {
    return await promisify(gunzip)(await readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Vite puts a hash of the content into the names of files in assets/, so they never change. */
function cachingOf(path: string): string {
  return /^[\\/]?assets[\\/]/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** Allows only our own scripts and styles. */
function guardPage(reply: FastifyReply): void {
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    )
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
}

const notBuilt =
  '<!doctype html><html lang="en"><title>Handrail</title><h1>The admin app is not built</h1>' +
  '<p>This installation runs without its web app. Build it with <code>npm run build</code>; ' +
  'the admin API at <code>/api/v1</code> and the command line work without it.</p></html>';
