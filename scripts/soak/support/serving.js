// Starts the built gateway for a long run, and talks to its admin API.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../prepare.js';

export const adminToken = 'soak-admin-token-0123456789';

/** Serves a data folder on a free port; resolves with its URL, its process and how long it took to listen. */
export function serve(dataDir, args = ['--no-demo'], env = {}) {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [join(root, 'dist/main.js'), 'serve', '--port', '0', '--json', '--data-dir', dataDir, ...args],
    {
      env: { ...process.env, HANDRAIL_ADMIN_TOKEN: adminToken, HANDRAIL_LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = new Promise((resolve) => child.once('close', resolve));
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n'))
        resolve({
          url: JSON.parse(text.split('\n', 1)[0]).url,
          child,
          exited,
          startMs: Math.round(performance.now() - started),
        });
    });
    child.once('close', (code) => reject(new Error(`serve ended with ${code}`)));
  });
}

/** Sends a request to the admin API; returns status and body. */
export async function ask(url, method, path, body) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}
