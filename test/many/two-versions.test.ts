import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminToken } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { callTool, change } from './instances.ts';

// A folder with an earlier version, installed and built: `HANDRAIL_EARLIER=../earlier npm run soak -- many`.
const earlier = process.env['HANDRAIL_EARLIER'];
const here = process.cwd();

interface Instance {
  readonly url: string;
  readonly child: ChildProcess;
}

describe.skipIf(earlier === undefined)('an earlier version and this one on one database', () => {
  const secretKey = randomBytes(32).toString('base64');
  const running = new Set<Instance>();
  let databaseUrl = '';

  async function start(version: string): Promise<Instance> {
    const child = spawn(
      process.execPath,
      [join(version, 'dist/main.js'), 'serve', '--port', '0', '--json', '--demo', '--allow-open'],
      {
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: databaseUrl,
          HANDRAIL_SECRET_KEY: secretKey,
          HANDRAIL_ADMIN_TOKEN: adminToken,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /"url":"([^"]+)"/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', (code) => reject(new Error(`${version} ended with ${code}: ${said}`)));
    });
    const instance = { url, child };
    running.add(instance);
    return instance;
  }

  async function end(instance: Instance): Promise<void> {
    running.delete(instance);
    const exited = once(instance.child, 'exit');
    instance.child.kill('SIGTERM');
    await exited;
  }

  beforeAll(async () => {
    databaseUrl = await createDatabase();
  });
  afterAll(() => Promise.all([...running].map(end)));

  it('serve side by side, upgraded and rolled back under load, and know each other’s changes', async () => {
    const old = await start(earlier!);
    const over = new AbortController();
    const failures: string[] = [];
    let calls = 0;
    const callers = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        // Whichever serves now; one that is asked to end takes no part any more.
        for (const { url } of running) {
          const failure = await callTool(url, 'weather_get', { location: 'Berlin' }, { connection: 'close' });
          if (failure !== null && [...running].some((one) => one.url === url)) failures.push(failure);
          calls++;
        }
      }
    });
    const next = await start(here);
    for (const [slug, from, to] of [
      ['made-by-the-old', old, next],
      ['made-by-the-new', next, old],
    ] as const) {
      await change(from.url, '/servers', { slug, tools: [{ api: 'demo' }] });
      const seen = async () =>
        (
          await fetch(`${to.url}/api/v1/servers/${slug}`, {
            headers: { authorization: `Bearer ${adminToken}`, connection: 'close' },
          })
        ).status;
      await expect.poll(seen).toBe(200);
    }
    // Back: the old version starts again on what the new one has written.
    await end(old);
    const again = await start(earlier!);
    await end(next);
    const before = calls;
    await expect.poll(() => calls).toBeGreaterThan(before + 20);
    over.abort();
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(await callTool(again.url, 'weather_get', { location: 'Berlin' })).toBeNull();
  });
});
