import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface StaticFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  /** Vite puts a hash of the content into the names of files in assets/, so they never change. */
  readonly immutable: boolean;
  readonly packed: Map<string, Promise<Buffer>>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const packable = new Set(['.html', '.js', '.css', '.json', '.svg', '.webmanifest', '.txt']);

/** What stands for the nonce in the built page; each answer puts a fresh one there. */
export const noncePlaceholder = '__HANDRAIL_NONCE__';

/** Where the build puts the app: beside the compiled gateway, or in dist/ when the sources run by themselves. */
const builtApp = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/web/admin/' : '../web/admin/', import.meta.url),
);

/** The admin web app at `/admin`; every path below that is no file is a page of the app itself. */
export function mountAdminApp(app: FastifyInstance, folder: string = builtApp): void {
  let loading: Promise<ReadonlyMap<string, StaticFile>> | null = null;
  const files = async (): Promise<ReadonlyMap<string, StaticFile>> => {
    loading ??= loadFiles(folder);
    const found = await loading;
    // Asked again as long as nothing is there: it may be built while we run.
    if (!found.has('index.html')) loading = null;
    return found;
  };

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = decodeURIComponent(request.url.split('?', 1)[0]!).replace(/^\/admin\/?/, '');
    const all = await files();
    const page = all.get('index.html');
    if (page === undefined) return sendMissing(reply);
    const file = all.get(path);
    if (file !== undefined && file !== page) return sendFile(request, reply, file);
    if (path.startsWith('assets/')) {
      return reply.code(404).type('text/plain').send('This file is not part of the app. Reload the page.');
    }
    return sendPage(reply, page);
  }

  app.get('/admin', serve);
  app.get('/admin/*', serve);
  app.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html') === true) return reply.redirect('/admin', 302);
    return reply.callNotFound();
  });
}

async function loadFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const found = new Map<string, StaticFile>();
  let entries;
  try {
    entries = await readdir(folder, { recursive: true, withFileTypes: true });
  } catch {
    return found;
  }
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const name = relative(folder, path).split(sep).join('/');
    found.set(name, {
      bytes,
      type: types[extname(name)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      immutable: name.startsWith('assets/'),
      packed: new Map(),
    });
  }
  return found;
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): Promise<FastifyReply> {
  reply
    .type(file.type)
    .header('etag', file.etag)
    .header('vary', 'Accept-Encoding')
    .header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = encodingFor(request.headers['accept-encoding'], file);
  if (encoding === null) return reply.send(file.bytes);
  reply.header('content-encoding', encoding);
  return reply.send(await packed(file, encoding));
}

function encodingFor(accepted: string | string[] | undefined, file: StaticFile): 'br' | 'gzip' | null {
  if (file.bytes.length < 1_000 || !isPackable(file.type)) return null;
  const list = String(accepted ?? '');
  if (/\bbr\b/.test(list)) return 'br';
  return /\bgzip\b/.test(list) ? 'gzip' : null;
}

function isPackable(type: string): boolean {
  return [...packable].some((extension) => types[extension] === type);
}

// Packed once, at the first request, and kept.
function packed(file: StaticFile, encoding: 'br' | 'gzip'): Promise<Buffer> {
  let bytes = file.packed.get(encoding);
  if (bytes === undefined) {
    bytes =
      encoding === 'br'
        ? promisify(brotliCompress)(file.bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } })
        : promisify(gzip)(file.bytes);
    file.packed.set(encoding, bytes);
  }
  return bytes;
}

function sendPage(reply: FastifyReply, page: StaticFile): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  guardPage(reply, nonce);
  return reply.type(page.type).send(page.bytes.toString().replaceAll(noncePlaceholder, nonce));
}

/** No script or style but our own files, and styles that the page itself marks with this answer's nonce. */
function guardPage(reply: FastifyReply, nonce: string): void {
  reply
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
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

function sendMissing(reply: FastifyReply): FastifyReply {
  guardPage(reply, randomBytes(16).toString('base64'));
  return reply
    .code(503)
    .type('text/html; charset=utf-8')
    .send(
      '<!doctype html><html lang="en"><title>Handrail</title><h1>The admin app is not built</h1>' +
        '<p>This installation runs without its web app. Build it with <code>npm run build</code>; ' +
        'the admin API at <code>/api/v1</code> and the command line work without it.</p></html>',
    );
}
