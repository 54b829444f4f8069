import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHandrail, type ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { startTcpSwitch, type TcpSwitch } from '../support/servers/tcp-switch.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-stopping-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const callWeather = (url: string) =>
  fetch(`${url}/mcp/tools/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'weather_get', arguments: { location: 'Berlin' } },
    }),
  });
const readiness = async (url: string) => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, ((await answer.json()) as { status: string }).status];
};

/** Sends a signal again and again: one that comes at once after another counts as the same. */
async function signalUntilEnded({ child, exited }: ServingProcess, signal: NodeJS.Signals) {
  const timer = setInterval(() => child.kill(signal), 100);
  const code = await exited;
  clearInterval(timer);
  return code;
}

describe('a gateway that is asked to stop', () => {
  it('takes calls while it says that it is leaving, and ends at once at a second signal', async () => {
    const serving = await serveHandrail(['--data-dir', join(folder, 'leaving'), '--leave-ms', '600000']);
    expect(await readiness(serving.url)).toEqual([200, 'ready']);
    expect((await callWeather(serving.url)).headers.get('connection')).toBe('keep-alive');
    serving.child.kill('SIGTERM');
    await expect.poll(() => readiness(serving.url)).toEqual([503, 'leaving']);
    expect((await fetch(`${serving.url}/livez`)).status).toBe(200);
    const call = await callWeather(serving.url);
    expect(call.headers.get('connection')).toBe('close');
    expect(await call.json()).toHaveProperty('result');
    expect(await signalUntilEnded(serving, 'SIGTERM')).toBe(1);
    expect(serving.stderr()).toContain('again: exiting immediately');
  });

  it('does not wait for a load balancer after Ctrl+C, and counts two of them in a moment as one', async () => {
    const { child, exited } = await serveHandrail([
      '--data-dir',
      join(folder, 'interrupted'),
      '--leave-ms',
      '600000',
    ]);
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await exited).toBe(0);
  });
});

describe('a gateway whose database hangs', () => {
  let database: TcpSwitch;
  let serving: ServingProcess;
  const admin = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };

  beforeAll(async () => {
    const url = new URL(await createDatabase());
    database = await startTcpSwitch(`http://127.0.0.1:${url.port}`);
    url.host = new URL(database.url).host;
    serving = await serveHandrail(
      ['--drain-ms', '0', '--close-ms', '1000', '--max-registry-lag-ms', '3000', '--allow-open', '--demo'],
      {
        DATABASE_URL: url.href,
        HANDRAIL_SECRET_KEY: randomBytes(32).toString('base64'),
        HANDRAIL_ADMIN_TOKEN: adminToken,
      },
    );
  });
  afterAll(() => database.stop());

  it('serves calls, answers for its state, and stops being ready only when it may be too far behind', async () => {
    database.freeze();
    expect((await fetch(`${serving.url}/livez`)).status).toBe(200);
    expect(await (await callWeather(serving.url)).json()).toHaveProperty('result');
    await expect.poll(() => readiness(serving.url)).toEqual([503, 'behind']);
    expect(await (await callWeather(serving.url)).json()).toHaveProperty('result');
    database.thaw();
    await expect.poll(() => readiness(serving.url)).toEqual([200, 'ready']);
    const changed = await fetch(`${serving.url}/api/v1/servers/default`, {
      method: 'PATCH',
      headers: admin,
      body: JSON.stringify({ name: 'Again' }),
    });
    expect(changed.status).toBe(200);
  });

  it('ends when it is asked to, and says how many records it could not keep', async () => {
    database.freeze();
    await callWeather(serving.url);
    serving.child.kill('SIGTERM');
    expect(await serving.exited).toBe(1);
    expect(serving.stderr()).toMatch(/"recordsLost":1\b.*stopping took too long/);
  });
});
