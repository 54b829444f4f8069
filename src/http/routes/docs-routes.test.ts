import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.ts';
import { createRouter } from '../router.ts';
import { mountDocs } from './docs-routes.ts';

const context = { config: loadConfig({ flags: {} }), log: pino({ enabled: false }) };
let around: string;

beforeAll(async () => {
  around = await mkdtemp(join(tmpdir(), 'handrail-docs-'));
  await mkdir(join(around, 'site', 'guide'), { recursive: true });
  await writeFile(join(around, 'secret.txt'), 'beside the site');
  await writeFile(join(around, 'site', 'index.html'), '<title>Home</title>');
  await writeFile(join(around, 'site', '404.html'), '<title>No such page</title>');
  await writeFile(join(around, 'site', 'guide', 'limits.html'), '<title>Limits</title>');
  await writeFile(join(around, 'site', 'docs.js'), 'export {}');
});
afterAll(() => rm(around, { recursive: true, maxRetries: 10 }));

async function listen(folder: string): Promise<{ app: FastifyInstance; url: string }> {
  const app = createRouter(context);
  mountDocs(app, context, folder);
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

describe('the documentation', () => {
  let app: FastifyInstance;
  let url: string;
  beforeAll(async () => {
    ({ app, url } = await listen(join(around, 'site/')));
  });
  afterAll(() => app.close());

  it.each([
    ['/docs/', 200, 'Home', 'no-cache'],
    ['/docs/guide/limits.html', 200, 'Limits', 'no-cache'],
    ['/docs/docs.js', 200, 'export', 'no-cache'],
    ['/docs/guide/nothing.html', 404, 'No such page', 'no-store'],
    ['/docs/guide/', 404, 'No such page', 'no-store'],
    ['/docs/..%2fsecret.txt', 404, 'No such page', 'no-store'],
    ['/docs/%2e%2e/secret.txt', 404, '', undefined],
  ])('answers %s with %i', async (path, status, text, caching) => {
    const answer = await fetch(`${url}${path}`);
    const body = await answer.text();
    expect(answer.status).toBe(status);
    expect(body).not.toContain('beside the site');
    expect(body).toContain(text);
    if (caching !== undefined) expect(answer.headers.get('cache-control')).toBe(caching);
  });

  it('leads to the folder, and lets a page run only scripts of the gateway', async () => {
    const folder = await fetch(`${url}/docs`, { redirect: 'manual' });
    expect([folder.status, folder.headers.get('location')]).toEqual([308, '/docs/']);
    const policy = (await fetch(`${url}/docs/`)).headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self'; ");
    expect(policy).toContain("default-src 'none'");
  });
});
