import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { callTool, change, end, startInstance, startProgram } from './instances.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-pooler-'));
let instances: ServingProcess[] = [];
let endPooler = async (): Promise<void> => {};

beforeAll(async () => {
  const database = new URL(await createDatabase());
  const port = await lastingPort();
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${database.username}" "${database.password}"\n`);
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${database.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `unix_socket_dir =\nauth_type = plain\nauth_file = ${users}\npool_mode = transaction\n` +
      'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,extra_float_digits\n',
  );
  // It refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) for (const file of [folder, config, users]) chownSync(file, 65_534, 65_534);
  endPooler = await startProgram('pgbouncer', [...(asRoot ? ['-u', 'nobody'] : []), config], port);
  database.host = `127.0.0.1:${port}`;
  instances = [];
  for (let i = 0; i < 3; i++) instances.push(await startInstance(database.href, ['--demo']));
});
afterAll(async () => {
  await Promise.all(instances.map(end));
  await endPooler();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

it('learns of a key and of its end on every instance, although notices of the database do not pass', async () => {
  const [first] = instances;
  await change(first!.url, '/servers', {
    slug: 'keyed',
    tools: [{ api: 'demo' }],
    policy: { kind: 'key' },
  });
  const key = await change(first!.url, '/keys', { name: 'Ada', servers: ['keyed'] });
  const ask = async (url: string) =>
    (
      await fetch(`${url}/mcp/keyed`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
    ).status;
  for (const { url } of instances) await expect.poll(() => ask(url)).toBe(200);
  const revoked = await fetch(`${first!.url}/api/v1/keys/${key.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect(revoked.status).toBe(204);
  for (const { url } of instances) await expect.poll(() => ask(url)).toBe(401);
  expect(await callTool(first!.url, 'weather_get', { location: 'Berlin' })).toBeNull();
});
