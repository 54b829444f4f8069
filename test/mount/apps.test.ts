import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { untilOpen } from '../support/servers/until-open.mjs';
import { shopAssertions, type ShopTarget } from './shop-assertions.ts';

// Six apps with the same eight routes, each with Handrail mounted in it, and a gateway in front of one of them: the same
// assertions hold for all.

const root = fileURLToPath(new URL('../..', import.meta.url));
const workshop = mkdtempSync(join(tmpdir(), 'handrail-mount-'));
const modules = join(workshop, 'node_modules');
const quiet = { cwd: workshop, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
const bin = (name: string, path: string) => join(modules, name, path);

/** How each app is started; one or more commands, the last of which serves. */
const apps: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  hono: () => [[process.execPath, 'server.js']],
  fastify: () => [[process.execPath, 'server.js']],
  express: () => [[process.execPath, 'server.js']],
  node: () => [[process.execPath, 'server.js']],
  nest: () => [
    [process.execPath, bin('esbuild', 'bin/esbuild'), 'server.ts', '--format=esm', '--outfile=built.js'],
    [process.execPath, 'built.js'],
  ],
  next: () => [
    [process.execPath, bin('next', 'dist/bin/next'), 'build', '--webpack'],
    [process.execPath, bin('next', 'dist/bin/next'), 'start', '--hostname', '127.0.0.1'],
  ],
};

beforeAll(() => {
  const here = fileURLToPath(new URL('apps', import.meta.url));
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(here, file), join(workshop, file));
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['ci', ...options], quiet);
  const packed = ['pack', '--silent', '--pack-destination', workshop];
  const tarball = execFileSync('npm', packed, { ...quiet, cwd: root, encoding: 'utf8' }).trim();
  execFileSync('npm', ['install', '--no-save', ...options, `./${tarball}`], quiet);
  cpSync(join(root, 'examples', 'mount'), join(workshop, 'apps'), { recursive: true });
});
afterAll(() => rmSync(workshop, { recursive: true, force: true, maxRetries: 10 }));

async function start(commands: readonly (readonly string[])[], folder: string) {
  const port = await lastingPort();
  const env = {
    ...process.env,
    PORT: String(port),
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    DENO_NO_UPDATE_CHECK: '1',
  };
  const cwd = join(workshop, 'apps', folder);
  for (const [program, ...args] of commands.slice(0, -1))
    execFileSync(program!, args, { ...quiet, cwd, env });
  const [program, ...args] = commands.at(-1)!;
  const server = spawn(program!, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  await untilOpen(server, port);
  return { server, origin: `http://127.0.0.1:${port}` };
}

async function stop(server: ChildProcess | undefined): Promise<void> {
  if (server === undefined || server.exitCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGKILL');
  await gone;
}

function assertAll(target: () => ShopTarget): void {
  it('is asked forty things', () => expect(Object.keys(shopAssertions)).toHaveLength(40));
  it.each(Object.entries(shopAssertions))('%s', (_name, assert) => assert(target()));
}

const signedIn = { authorization: 'Bearer ann-token-1234' };

describe.each(Object.keys(apps))('mounted in %s', (name) => {
  let server: ChildProcess | undefined;
  let url = '';

  beforeAll(async () => {
    const started = await start(apps[name]!(), name);
    ({ server } = started);
    url = `${started.origin}/mcp`;
  });
  afterAll(() => stop(server));

  assertAll(() => ({ ann: { url, headers: signedIn }, anyone: { url } }));
});

describe('a gateway in front of the app', () => {
  let server: ChildProcess | undefined;
  let running: RunningGateway;

  beforeAll(async () => {
    const started = await start(apps['node']!(), 'node');
    ({ server } = started);
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    const content = readFileSync(join(root, 'examples/mount/openapi.json'), 'utf8');
    for (const slug of ['ann', 'anyone']) {
      const files = [{ name: 'openapi.json', content }];
      const imported = await running.admin('POST', '/imports', {
        files,
        api: slug,
        baseUrl: `${started.origin}/api`,
        ...(slug === 'anyone' && { auth: { kind: 'none' } }),
      });
      expect(imported.status, JSON.stringify(imported.body)).toBeLessThan(300);
      await running.admin('POST', '/servers', { slug, name: 'Shop', tools: [{ api: slug }], policy: 'open' });
    }
    await running.admin('POST', '/credentials', { api: 'ann', secret: 'ann-token-1234' });
  });
  afterAll(async () => {
    await running.stop();
    await stop(server);
  });

  assertAll(() => ({ ann: { url: `${running.url}/mcp/ann` }, anyone: { url: `${running.url}/mcp/anyone` } }));
});
