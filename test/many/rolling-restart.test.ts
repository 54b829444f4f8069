import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServingProcess } from '../support/command.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { callTool, end, startInstance, startProgram } from './instances.ts';

const restarts = Number(process.env['HANDRAIL_RESTARTS'] ?? 12);
const folder = mkdtempSync(join(tmpdir(), 'handrail-rolling-'));
const ports: number[] = [];
let instances: ServingProcess[] = [];
let proxy = '';
let endProxy = async (): Promise<void> => {};
let databaseUrl = '';

const start = (port: number) =>
  startInstance(databaseUrl, ['--demo', '--port', String(port), '--leave-ms', '1000']);

beforeAll(async () => {
  databaseUrl = await createDatabase();
  for (let i = 0; i < 3; i++) ports.push(await lastingPort());
  instances = await Promise.all(ports.map(start));
  const port = await lastingPort();
  proxy = `http://127.0.0.1:${port}`;
  const config = join(folder, 'nginx.conf');
  // As most people set it up: kept connections, and another instance is tried only when none of the request was sent.
  writeFileSync(
    config,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1;
     events { worker_connections 512; }
     http {
       access_log off;
       client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
       uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
       upstream gateways { ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(' ')} keepalive 16; }
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass http://gateways; proxy_http_version 1.1; proxy_set_header Connection "";
           proxy_set_header Host localhost:$server_port; proxy_connect_timeout 60s; proxy_read_timeout 300s;
         }
       }
     }`,
  );
  endProxy = await startProgram('nginx', ['-p', folder, '-c', config], port);
});
afterAll(async () => {
  await endProxy();
  await Promise.all(instances.map(end));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

it('fails no call when instances are restarted one after the other', async () => {
  const over = new AbortController();
  const failures: string[] = [];
  let calls = 0;
  const callers = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) {
      const failure = await callTool(proxy, 'weather_get', { location: 'Berlin' });
      if (failure !== null) failures.push(failure);
      calls++;
    }
  });
  for (let round = 0; round < restarts; round++) {
    const which = round % ports.length;
    expect(await end(instances[which]!)).toBe(0);
    instances[which] = await start(ports[which]!);
    const before = calls;
    await expect.poll(() => calls).toBeGreaterThan(before + 50);
  }
  over.abort();
  await Promise.all(callers);
  console.log(`${calls} calls over ${restarts} restarts, ${failures.length} failed`);
  // What nginx says about it tells why.
  expect(failures, readFileSync(join(folder, 'error.log'), 'utf8').slice(-5_000)).toEqual([]);
});
