import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.ts';
import { mountAdminApp } from './admin-app.ts';
import { createRouter } from '../router.ts';

const page = '<!doctype html><title>Handrail</title>';
const script = `console.log(${JSON.stringify('x'.repeat(2_000))});`;
const context = { config: loadConfig({ flags: {} }), log: pino({ enabled: false }) };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

async function listen(folder: string): Promise<{ app: FastifyInstance; ask: Ask }> {
  const app = createRouter(context);
  mountAdminApp(app, context, folder);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask: Ask = (path, headers = {}) =>
    new Promise((resolve, reject) => {
      // Not as part of a URL, which would be put in order before it is sent.
      get(url, { path, headers }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () =>
          resolve({ status: res.statusCode!, headers: res.headers, body: Buffer.concat(chunks) }),
        );
      }).on('error', reject);
    });
  return { app, ask };
}

type Ask = (path: string, headers?: Record<string, string>) => Promise<Answer>;

describe('the admin app', () => {
  let folder: string;
  let app: FastifyInstance;
  let ask: Ask;

  beforeAll(async () => {
    const around = await mkdtemp(join(tmpdir(), 'handrail-app-'));
    folder = join(around, 'app');
    await mkdir(join(folder, 'assets'), { recursive: true });
    await writeFile(join(around, 'secret.txt'), 'beside the app');
    await writeFile(join(folder, 'index.html'), page);
    await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await writeFile(join(folder, 'assets/main-12345678.js.br'), brotliCompressSync(script));
    await writeFile(join(folder, 'assets/main-12345678.js.gz'), gzipSync(script));
    await writeFile(join(folder, 'assets/small-12345678.css'), 'a{}');
    ({ app, ask } = await listen(folder));
  });

  afterAll(async () => {
    await app.close();
    await rm(join(folder, '..'), { recursive: true });
  });

  it.each([
    ['br, gzip, deflate', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip;q=0, identity', undefined, (bytes: Buffer) => bytes],
    ['', undefined, (bytes: Buffer) => bytes],
  ])('sends a script to a browser that accepts "%s" packed as %s', async (accepted, encoding, unpack) => {
    const answer = await ask('/admin/assets/main-12345678.js', { 'accept-encoding': accepted });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['content-type']).toMatch(/^(?:text|application)\/javascript; charset=utf-8$/);
    expect(String(answer.headers['vary']).toLowerCase()).toContain('accept-encoding');
    expect(unpack(answer.body).toString()).toBe(script);
  });

  it.each([
    ['/admin/assets/main-12345678.js', 'public, max-age=31536000, immutable'],
    ['/admin/assets/small-12345678.css', 'public, max-age=31536000, immutable'],
    ['/admin/favicon.svg', 'no-cache'],
    ['/admin', 'no-store'],
    ['/admin/tools/tool_1', 'no-store'],
  ])('lets browsers keep %s as "%s"', async (path, caching) => {
    const { status, headers } = await ask(path, { 'accept-encoding': 'br' });
    expect([status, headers['cache-control']]).toEqual([200, caching]);
  });

  it.each([
    '/admin',
    '/admin/',
    '/admin/index.html',
    '/admin/tools/tool_1?tab=try',
    '/admin/apis/v1.2',
    '/admin/a%20b',
    '/admin/tools/',
  ])('answers %s with the page, which runs nothing but its own files', async (path) => {
    const { status, headers, body } = await ask(path, { 'accept-encoding': 'br, gzip' });
    expect(status).toBe(200);
    expect(body.toString()).toBe(page);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it.each([
    ['/admin/assets/gone-12345678.js', 404],
    ['/admin/assets/', 404],
    ['/admin/assets/../../secret.txt', 404],
    ['/admin/assets/%2e%2e%2f%2e%2e%2fsecret.txt', 404],
    ['/admin/../secret.txt', 200],
    ['/admin/%2e%2e/secret.txt', 200],
    ['/admin/..%5csecret.txt', 200],
    ['/admin/%', 400],
  ])('has no file at %s', async (path, status) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).not.toContain(folder);
    expect(answer.body.toString()).not.toContain('beside the app');
  });

  it.each([
    ['text/html,application/xhtml+xml', 302],
    ['application/json', 404],
    [undefined, 404],
  ])('leads whoever asks for / and accepts %s to the app or nowhere (%i)', async (accept, status) => {
    const answer = await ask('/', accept === undefined ? {} : { accept });
    expect([answer.status, answer.headers['location']]).toEqual([
      status,
      status === 302 ? '/admin' : undefined,
    ]);
  });
});

describe('an admin app that is not built', () => {
  it('says so, and is there as soon as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'handrail-no-app-'));
    const { app, ask } = await listen(join(folder, 'later'));
    const before = await ask('/admin');
    expect(before.status).toBe(503);
    expect(before.body.toString()).toContain('npm run build');
    expect(before.headers['content-security-policy']).toContain("default-src 'none'");
    await mkdir(join(folder, 'later'));
    await writeFile(join(folder, 'later/index.html'), page);
    const after = await ask('/admin');
    expect([after.status, after.body.toString()]).toEqual([200, page]);
    await app.close();
    await rm(folder, { recursive: true });
  });
});
