import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiAt, callingStack, callOf, textOf, toolOf } from '../support/calling.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { untilOpen } from '../support/servers/until-open.mjs';

let folder: string;
let nginx: ChildProcess;
let origin: string;
const pem = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'handrail-tls-'));
  chmodSync(folder, 0o755);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const authority = (name: string) =>
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    );
  authority('ca');
  authority('stranger-ca');
  const issue = (name: string, ca: string, extension: string) => {
    openssl(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    );
    writeFileSync(join(folder, `${name}.ext`), extension);
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      `${ca}.pem`,
      '-CAkey',
      `${ca}.key`,
      '-CAcreateserial',
      '-days',
      '2',
      '-out',
      `${name}.pem`,
      '-extfile',
      `${name}.ext`,
    );
  };
  issue('server', 'ca', 'subjectAltName=IP:127.0.0.1');
  issue('client', 'ca', 'extendedKeyUsage=clientAuth');
  issue('stranger', 'stranger-ca', 'extendedKeyUsage=clientAuth');

  const port = await lastingPort();
  origin = `https://127.0.0.1:${port}`;
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
     http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
       server { listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/server.pem; ssl_certificate_key ${folder}/server.key;
         ssl_client_certificate ${folder}/ca.pem; ssl_verify_client on;
         location / { default_type text/plain; return 200 "hello $ssl_client_s_dn"; } } }`,
  );
  nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'pipe' });
  await untilOpen(nginx, port);
});
afterAll(async () => {
  const gone = new Promise((resolve) => nginx.once('exit', resolve));
  nginx.kill();
  await gone;
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

describe('mutual TLS', () => {
  it('shows the client certificate, trusts only the given CA, and keeps identities apart', async () => {
    const { store, run, close } = callingStack();
    const call = async (name: string, caPem: string | undefined) => {
      const api = apiAt(origin, { kind: 'mutual-tls' });
      store(api, {
        certificatePem: pem(`${name}.pem`),
        privateKeyPem: pem(`${name}.key`),
        ...(caPem !== undefined && { caPem }),
      });
      return run(callOf(toolOf(api)));
    };
    expect(textOf(await call('client', pem('ca.pem')))).toBe('hello CN=client');
    expect(await call('stranger', pem('ca.pem'))).toMatchObject({
      kind: 'failed',
      error: { code: 'upstream_status', details: { upstreamStatus: 400 } },
    });
    expect(textOf(await call('client', pem('ca.pem')))).toBe('hello CN=client');
    expect(await call('client', undefined)).toMatchObject({
      kind: 'failed',
      error: { code: 'upstream_unreachable', message: expect.stringContaining('certificate') },
    });
    expect(await call('client', pem('stranger-ca.pem'))).toMatchObject({
      kind: 'failed',
      error: { code: 'upstream_unreachable' },
    });
    await close();
  });
});
