import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { serveHandrail, type ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { callTool, change, end, startProgram } from './instances.ts';

// deploy/compose without a daemon: its settings and its nginx.conf, with names and ports of this machine in their places.
const compose = fileURLToPath(new URL('../../deploy/compose/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'handrail-compose-'));
const metricsToken = 'a-token-that-may-only-scrape';
const instances: ServingProcess[] = [];
let ports: number[] = [];
let proxy = '';
let endProxy = async (): Promise<void> => {};

beforeAll(async () => {
  const secrets: Record<string, string> = {
    HANDRAIL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    HANDRAIL_ADMIN_TOKEN: adminToken,
    HANDRAIL_METRICS_TOKEN: metricsToken,
  };
  ports = [await lastingPort(), await lastingPort()];
  const port = await lastingPort();
  proxy = `http://127.0.0.1:${port}`;
  const { services } = parse(readFileSync(join(compose, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string | null> }>;
  };
  const databaseUrl = await createDatabase();
  for (const [i, own] of ports.entries()) {
    const settings = Object.entries(services[`handrail-${i + 1}`]!.environment).flatMap(([name, value]) => {
      if (name === 'DATABASE_URL') return [[name, databaseUrl]];
      if (Object.hasOwn(secrets, name)) return [[name, secrets[name]!]];
      if (name === 'HANDRAIL_TRUST_PROXY') return [[name, '127.0.0.1']];
      if (name === 'HANDRAIL_PUBLIC_URL') return [[name, proxy]];
      if (name === 'HANDRAIL_ALLOWED_HOSTS') return [[name, `handrail-${i + 1}:8080`]];
      return value === null ? [] : [[name, value]];
    });
    instances.push(
      await serveHandrail(
        ['--port', String(own), '--demo', '--leave-ms', '500'],
        Object.fromEntries(settings),
      ),
    );
  }
  const config = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  writeFileSync(
    config,
    readFileSync(join(compose, 'nginx.conf'), 'utf8')
      .replace('handrail-1:8080', `127.0.0.1:${ports[0]}`)
      .replace('handrail-2:8080', `127.0.0.1:${ports[1]}`)
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'))
      .replace('http {', `http {\n  ${temporary}`)
      .replace('worker_processes auto', 'daemon off;\nworker_processes 1'),
  );
  endProxy = await startProgram('nginx', ['-p', folder, '-c', config], port);
});
afterAll(async () => {
  await endProxy();
  await Promise.all(instances.map(end));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

it('serves from both instances behind nginx, and goes on when one leaves', async () => {
  const { key } = await change(proxy, '/keys', { name: 'laptop' });
  const headers = { authorization: `Bearer ${key}` };
  const call = () => callTool(proxy, 'weather_get', { location: 'Berlin' }, headers);
  const scrape = async (port: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    return /^handrail_calls_total\{.*outcome="ok"\} (\d+)$/m.exec(await answer.text())?.[1];
  };
  // The other one may not have heard of the key yet.
  await expect.poll(async () => (await call()) ?? (await call())).toBeNull();
  for (let i = 0; i < 10; i++) expect(await call()).toBeNull();
  for (const port of ports) expect(Number(await scrape(port))).toBeGreaterThan(0);
  // Figures are each instance's own, and nobody reads them through the proxy.
  expect((await fetch(`${proxy}/metrics`)).status).toBe(404);

  expect(await end(instances.shift()!)).toBe(0);
  for (let i = 0; i < 10; i++) expect(await call()).toBeNull();
});
