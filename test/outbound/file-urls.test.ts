import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServingProcess, serveHandrail } from '../support/command.ts';
import { editRows } from '../support/edit-rows.ts';
import { modern, post } from '../support/mcp-surface.ts';
import { expectedForm, noise, serveFiles } from '../support/servers/file-upstream.ts';

const mebibyte = 1024 * 1024;
const maxFileBytes = 4 * mebibyte;
const fileBytes = 2 * mebibyte + 5;
const adminToken = 'a-token-for-tests-only';

const folder = mkdtempSync(join(tmpdir(), 'handrail-file-urls-'));
const dataDir = join(folder, 'data');
const served: Server[] = [];
let upstream: Awaited<ReturnType<typeof serveFiles>>;
let gateway: ServingProcess;
let trusted: string;
let untrusted: string;
// What came to the servers of files, in order.
const asked: string[] = [];

/** A certificate that vouches for itself. */
function certificate(name: string): { readonly key: string; readonly cert: string } {
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.pem -addext subjectAltName=IP:127.0.0.1`;
  execFileSync('openssl', words.split(' '), { cwd: folder, stdio: 'pipe' });
  const read = (ending: string) => readFileSync(join(folder, `${name}.${ending}`), 'utf8');
  return { key: read('key'), cert: read('pem') };
}

async function serve(name: string): Promise<string> {
  const server = createServer(certificate(name), answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  served.push(server);
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url!, 'https://files.test');
  asked.push(pathname);
  const to = searchParams.get('to');
  // Whoever asks may hang up in the middle.
  response.on('error', () => {});
  if (pathname === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
  if (to !== null) return void response.writeHead(302, { location: to }).end('Elsewhere.');
  switch (pathname) {
    case '/report.pdf':
      response.writeHead(200, { 'content-type': 'application/pdf' });
      return void response.end(Buffer.concat([...noise(fileBytes)]));
    case '/large':
      response.writeHead(200, { 'content-type': 'application/zip' });
      return void response.end(Buffer.alloc(maxFileBytes + 1));
    case '/large-and-says-so':
      response.writeHead(200, { 'content-length': maxFileBytes + 1 });
      return void response.write('x');
    case '/stalls':
      response.writeHead(200, { 'content-type': 'application/zip', 'content-length': fileBytes });
      return void response.write(Buffer.alloc(mebibyte + 1));
    case '/breaks-off':
      response.writeHead(200, { 'content-type': 'application/zip', 'content-length': fileBytes });
      return void response.write(Buffer.alloc(mebibyte + 1), () => response.destroy());
    case '/silent':
      return;
    default:
      return void response.writeHead(404).end('Not here.');
  }
}

beforeAll(async () => {
  trusted = await serve('trusted');
  untrusted = await serve('untrusted');
  upstream = await serveFiles();
  gateway = await serveHandrail(['--data-dir', dataDir, '--no-demo'], {
    NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem'),
    HANDRAIL_ADMIN_TOKEN: adminToken,
    HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
    HANDRAIL_MAX_FILE_BYTES: String(maxFileBytes),
    HANDRAIL_LOG_LEVEL: 'error',
  });
  await admin('/apis', { slug: 'patient', name: 'Patient', baseUrl: upstream.origin });
  const limits = { totalTimeoutMs: 2_000 };
  await admin('/apis', { slug: 'hasty', name: 'Hasty', baseUrl: upstream.origin, limits });
  for (const api of ['patient', 'hasty'])
    await admin('/tools', {
      api,
      name: `${api}_form`,
      description: 'Takes a file.',
      operation: {
        method: 'POST',
        path: '/form',
        parameters: [{ name: 'file', in: 'body', schema: { type: 'string' }, required: true }],
        body: { mediaType: 'multipart/form-data', shape: 'fields', encoding: { file: { file: true } } },
      },
    });
});
afterAll(async () => {
  gateway?.child.kill('SIGTERM');
  await gateway?.exited;
  await upstream.close();
  for (const server of served) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function admin(path: string, body: object): Promise<void> {
  const made = await fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([made.status, (await made.text()).slice(0, 500)]).toEqual([201, expect.anything()]);
}

async function send(file: string, api: 'patient' | 'hasty' = 'patient') {
  const { body, headers } = modern('tools/call', { name: `${api}_form`, arguments: { file } });
  const { result } = (await post(`${gateway.url}/mcp/default`, body, headers)).json;
  return { isError: result.isError === true, text: String(result.content[0].text) };
}

describe('a file that an argument names by its address', () => {
  it.each([
    { how: 'directly', url: () => `${trusted}/report.pdf` },
    { how: 'after redirects', url: () => `${trusted}/a?to=${encodeURIComponent('/b?to=/report.pdf')}` },
  ])('is sent on, found $how, under its name and type', async ({ url }) => {
    expect(await send(url())).toMatchObject({ isError: false });
    const sent = upstream.sent.at(-1)!;
    expect(sent.start).toContain('name="file"; filename="report.pdf"\r\nContent-Type: application/pdf');
    expect(sent.sha256).toBe(expectedForm(sent, Buffer.concat([...noise(fileBytes)])));
  });

  const forbidden = 'https://127.0.0.2:9/secret';
  const refusals: {
    what: string;
    url: () => string;
    says: RegExp;
    api?: 'hasty';
    /** How many of our servers' answers it takes to find out. */
    requests: number;
  }[] = [
    { what: 'is where the guard lets nobody go', url: () => forbidden, says: /may not connect/, requests: 0 },
    {
      what: 'redirects to where the guard lets nobody go',
      url: () => `${trusted}/a?to=${encodeURIComponent(forbidden)}`,
      says: /may not connect/,
      requests: 1,
    },
    {
      what: 'redirects to an address without TLS',
      url: () => `${trusted}/a?to=${encodeURIComponent('http://127.0.0.1:9/x')}`,
      says: /https addresses only/,
      requests: 1,
    },
    {
      what: 'redirects to a file of the machine',
      url: () => `${trusted}/a?to=${encodeURIComponent('file:///etc/passwd')}`,
      says: /https addresses only/,
      requests: 1,
    },
    {
      what: 'redirects to what is no address',
      url: () => `${trusted}/a?to=${encodeURIComponent('https://[')}`,
      says: /cannot be parsed/,
      requests: 1,
    },
    {
      what: 'redirects to itself for ever',
      url: () => `${trusted}/loop`,
      says: /redirects too many times/,
      requests: 6,
    },
    {
      what: 'is not encrypted',
      url: () => 'http://127.0.0.1:9/x',
      says: /https addresses only/,
      requests: 0,
    },
    {
      what: 'holds a password',
      url: () => trusted.replace('https://', 'https://me:hunter2@'),
      says: /must not contain a user name or password/,
      requests: 0,
    },
    {
      what: 'comes from a server nobody vouches for',
      url: () => `${untrusted}/report.pdf`,
      says: /certificate/i,
      requests: 0,
    },
    {
      what: 'is not there',
      url: () => `${trusted}/nothing`,
      says: /HTTP 404 instead of sending a file/,
      requests: 1,
    },
    { what: 'is too large', url: () => `${trusted}/large`, says: /larger than .*4194304 bytes/, requests: 1 },
    {
      what: 'says that it is too large',
      url: () => `${trusted}/large-and-says-so`,
      says: /larger than .*4194304 bytes/,
      requests: 1,
    },
    {
      what: 'breaks off',
      url: () => `${trusted}/breaks-off`,
      says: /closed the connection before/,
      requests: 1,
    },
    { what: 'stalls', url: () => `${trusted}/stalls`, says: /time|took|within/i, api: 'hasty', requests: 1 },
    {
      what: 'never begins',
      url: () => `${trusted}/silent`,
      says: /time|took|within/i,
      api: 'hasty',
      requests: 1,
    },
  ];
  it.each(refusals)('is refused when it $what, and the API hears nothing', async (refusal) => {
    const before = upstream.sent.length;
    const heard = asked.length;
    const { isError, text } = await send(refusal.url(), refusal.api);

    expect([isError, text]).toEqual([true, expect.stringMatching(refusal.says)]);
    expect(text).not.toMatch(/hunter2|node:|\/src\/|\/dist\/|\n\s+at /);
    expect(upstream.sent).toHaveLength(before);
    expect(asked.length - heard).toBe(refusal.requests);
  });

  it('leaves nothing behind', async () => {
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toBe(0);
    const left = await editRows({ dataDir }, async ({ run }) => [
      ...(await run('select count(*) as n from kept_replies')),
      ...(await run('select count(*) as n from kept_reply_parts')),
    ]);
    expect(left).toEqual([{ n: 0 }, { n: 0 }]);
  });
});
