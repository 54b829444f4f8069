// Starts the built gateway as a process of its own, for suites that are programs and not tests.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Starts `handrail serve` on a free port, with an empty data folder, and waits until it listens. */
export function startGateway(args = [], env = {}) {
  return startProgram([main, 'serve', '--port', '0', '--json', '--log-level', 'warn', ...args], { env });
}

/**
 * Starts a program that serves a gateway and says where, as `handrail serve --json` does; its data folder is empty, or
 * a copy of the one given.
 */
export async function startProgram(command, { env = {}, copyOf } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'handrail-suite-'));
  if (copyOf !== undefined) cpSync(copyOf, dataDir, { recursive: true });
  const child = spawn(process.execPath, [...command, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const first = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))));
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with code ${code} before it listened`)));
  });
  return {
    url: first.url,
    adminToken: env.HANDRAIL_ADMIN_TOKEN ?? first.adminToken,
    dataDir,
    async stop({ keepsData = false } = {}) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      if (!keepsData) rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
