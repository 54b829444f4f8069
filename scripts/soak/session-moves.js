// A legacy session continues through restarts of its gateway and, with DATABASE_URL, on a second instance.
// Usage: [DATABASE_URL=postgres://…] npm run soak -- session-moves [rounds]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './support/serving.js';

const rounds = Number(process.argv[2] ?? 20);
const folder = mkdtempSync(join(tmpdir(), 'handrail-session-'));
const shared = process.env.DATABASE_URL !== undefined;
const env = shared
  ? { HANDRAIL_SECRET_KEY: process.env.HANDRAIL_SECRET_KEY ?? randomBytes(32).toString('base64') }
  : {};
const start = () => serve(join(folder, 'data'), ['--demo'], env);

async function post(url, body, session) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });
  return {
    status: response.status,
    session: response.headers.get('mcp-session-id'),
    body: await response.json(),
  };
}

function must(condition, message) {
  if (condition) return;
  console.error(`FAILED: ${message}`);
  process.exit(1);
}

let first = await start();
const clientInfo = { name: 'mover', version: '1' };
const opened = await post(first.url, {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
});
must(opened.session !== null, 'no session was opened');
const second = shared ? await start() : null;
for (let round = 1; round <= rounds; round++) {
  const call = {
    id: round,
    method: 'tools/call',
    params: { name: 'weather_get', arguments: { location: 'Berlin' } },
  };
  const here = await post(first.url, call, opened.session);
  must(here.status === 200 && here.body.result?.isError !== true, `round ${round}: ${JSON.stringify(here)}`);
  if (second) {
    const there = await post(second.url, call, opened.session);
    must(
      there.status === 200 && there.body.result !== undefined,
      `round ${round}, second instance: ${JSON.stringify(there)}`,
    );
  }
  first.child.kill(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
  await first.exited;
  first = await start();
}
console.log(`one session continued through ${rounds} restarts${second ? ' and on a second instance' : ''}`);
for (const one of [first, second]) {
  one?.child.kill('SIGTERM');
  await one?.exited;
}
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
