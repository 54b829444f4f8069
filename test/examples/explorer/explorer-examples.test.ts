import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastingPort } from '../../support/servers/lasting-port.mjs';
import { untilOpen } from '../../support/servers/until-open.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const workshop = mkdtempSync(join(tmpdir(), 'handrail-examples-'));
const modules = join(workshop, 'node_modules');
const quiet = { cwd: workshop, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };

/** How each example is started; one or more commands, the last of which serves. */
const examples: Record<string, () => string[][]> = {
  express: () => [[process.execPath, 'server.js']],
  fastify: () => [[process.execPath, 'server.js']],
  hono: () => [[process.execPath, 'server.js']],
  next: () => [
    [process.execPath, nextBin(), 'build', '--webpack'],
    [process.execPath, nextBin(), 'start', '--hostname', '127.0.0.1'],
  ],
  bun: () => [[binaryOf('@oven', 'bin/bun'), 'server.js']],
  deno: () => [
    [
      binaryOf('@deno', 'deno'),
      'run',
      '--allow-net',
      '--allow-env',
      '--allow-read',
      '--node-modules-dir=manual',
      'server.js',
    ],
  ],
};

beforeAll(() => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(here, file), join(workshop, file));
  execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], quiet);
  const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', workshop], {
    ...quiet,
    cwd: join(root, 'web', 'explorer'),
    encoding: 'utf8',
  }).trim();
  execFileSync(
    'npm',
    [
      'install',
      '--no-save',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `./${tarball}`,
    ],
    quiet,
  );
});
afterAll(() => rmSync(workshop, { recursive: true, force: true, maxRetries: 10 }));

for (const [name, commands] of Object.entries(examples)) {
  describe(`the example for ${name}`, () => {
    let server: ChildProcess | undefined;
    let base = '';

    beforeAll(async () => {
      const folder = join(workshop, name);
      cpSync(join(root, 'examples', `explorer-${name}`), folder, { recursive: true });
      symlinkSync(modules, join(folder, 'node_modules'));
      const port = await lastingPort();
      const env = {
        ...process.env,
        PORT: String(port),
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        DENO_NO_UPDATE_CHECK: '1',
      };
      const steps = commands();
      const last = steps.pop() as string[];
      for (const [program, ...args] of steps)
        execFileSync(program as string, args, { ...quiet, cwd: folder, env });
      server = spawn(last[0] as string, last.slice(1), {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      await untilOpen(server, port);
      base = `http://127.0.0.1:${port}/explorer`;
    });
    afterAll(async () => {
      if (server === undefined || server.exitCode !== null) return;
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
    });

    it('serves the page', async () => {
      const answer = await fetch(base);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await answer.text()).toContain(' tools</title>');
    });

    it('lists the tools', async () => {
      const answer = await fetch(`${base}/tools`);
      expect(await answer.json()).toEqual([
        { name: 'add', description: 'Adds two numbers.', annotations: { readOnlyHint: true } },
        { name: 'greetings/hello', description: 'Says hello.' },
      ]);
    });

    it('validates and calls, also a tool with a slash in its name', async () => {
      const post = (path: string, body: string) =>
        fetch(`${base}/tools/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
      expect(await (await post('add/validate', '{"a":1}')).json()).toEqual({
        valid: false,
        errors: [{ path: '', message: "must have required property 'b'", keyword: 'required' }],
      });
      expect(await (await post('add/call', '{"a":1,"b":41}')).json()).toEqual({
        content: [{ type: 'text', text: '42' }],
        isError: false,
      });
      expect(await (await post('greetings%2Fhello/call', '{"name":"Ada"}')).json()).toMatchObject({
        content: [{ text: 'Hello, Ada!' }],
      });
      expect((await post('add/validate', '{nope')).status).toBe(400);
      expect((await post('add/call', '{nope')).status).toBe(200);
      expect(await (await post('none/call', '{}')).json()).toEqual({ error: 'Tool not found: none' });
    });
  });
}

function nextBin(): string {
  return join(modules, 'next', 'dist', 'bin', 'next');
}

/**
 * The binary inside the platform's package. The wrapper beside it works only after an install script, or starts the
 * binary as a process of its own that outlives it.
 */
function binaryOf(scope: string, path: string): string {
  const [platform] = existsSync(join(modules, scope)) ? readdirSync(join(modules, scope)) : [];
  if (platform === undefined) throw new Error(`No binary of ${scope} for this platform was installed.`);
  return join(modules, scope, platform, path);
}
