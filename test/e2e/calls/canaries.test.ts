import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { AuthScheme } from '../../../src/domain/auth-scheme.ts';
import { createGateway, type Gateway } from '../../../src/gateway.ts';
import { createLog } from '../../../src/lib/log.ts';
import { formsOf } from '../../support/secrets/forms-of-a-secret.ts';
import { bodyOf, serveHttp } from '../../support/servers/http-server.ts';
import type { TestServer } from '../../support/servers/http-server.ts';

const adminToken = 'a-token-for-tests-only';
const canary = (n: number) => `c4n4ry+${n}/secret=${n}${n}${n} value`;
const login: AuthScheme = {
  kind: 'login',
  method: 'POST',
  url: '',
  payloadIn: 'json',
  payloadFields: ['user', 'password'],
  tokenPath: 'token',
  place: { in: 'header', name: 'X-Token' },
};

/** Ten secrets, each of its own kind. */
const secrets: readonly { auth: AuthScheme; fields: Record<string, string> }[] = [
  { auth: { kind: 'api-key', in: 'header', name: 'X-Key' }, fields: { value: canary(0) } },
  { auth: { kind: 'api-key', in: 'query', name: 'k' }, fields: { value: canary(1) } },
  { auth: { kind: 'api-key', in: 'cookie', name: 'sid' }, fields: { value: canary(2) } },
  { auth: { kind: 'api-key', in: 'body', name: 'k' }, fields: { value: canary(3) } },
  { auth: { kind: 'bearer' }, fields: { token: canary(4) } },
  { auth: { kind: 'basic' }, fields: { username: 'ann', password: canary(5) } },
  { auth: { kind: 'headers', names: ['X-One'] }, fields: { 'X-One': canary(6) } },
  { auth: login, fields: { user: 'ann', password: canary(7) } },
  {
    auth: { kind: 'oauth2', grant: 'client_credentials', tokenUrl: '' },
    fields: { clientId: 'me', clientSecret: canary(8) },
  },
  {
    auth: {
      kind: 'hmac',
      algorithm: 'sha256',
      encoding: 'hex',
      parts: ['body'],
      separator: '',
      place: { in: 'header', name: 'X-Sig' },
    },
    fields: { secret: canary(9) },
  },
];

let upstream: TestServer;
let gateway: Gateway;
let dataDir: string;
const shown: string[] = [];

/** An upstream that tells everything it was told, in every form, as success or as failure. */
async function tellAll(): Promise<TestServer> {
  return serveHttp(async (request, response) => {
    const body = await bodyOf(request);
    const told = [
      request.url,
      JSON.stringify(request.headers),
      request.rawHeaders.join('\n'),
      body,
      decodeURIComponent(request.url!),
    ].join('\n');
    const path = request.url!.split('?', 1)[0];
    response.setHeader('content-type', 'application/json');
    if (path === '/login') response.end(JSON.stringify({ token: 'c4n4ry-login-token', told }));
    else if (path === '/token')
      response.end(
        JSON.stringify({ access_token: 'c4n4ry-access-token', token_type: 'bearer', expires_in: 3600 }),
      );
    else if (path === '/refuse')
      response
        .writeHead(400)
        .end(JSON.stringify({ message: told, token: Buffer.from(told).toString('base64') }));
    else if (path === '/redirect')
      response.writeHead(302, { location: `/?${encodeURIComponent(told)}` }).end();
    else if (path === '/text')
      response
        .setHeader('content-type', 'text/plain')
        .end(
          `${told}\n${encodeURIComponent(told)}\n${Buffer.from(told).toString('base64')}\n${Buffer.from(`x${told}`).toString('base64url')}`,
        );
    else
      response.end(
        JSON.stringify({
          told,
          base64: Buffer.from(told).toString('base64'),
          hex: Buffer.from(told).toString('hex'),
        }),
      );
  });
}

async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await gateway.app.inject({
    method: method as 'GET',
    url,
    headers: {
      host: 'localhost',
      authorization: `Bearer ${adminToken}`,
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  shown.push(answer.payload, JSON.stringify(answer.headers));
  return answer.payload;
}

beforeAll(async () => {
  upstream = await tellAll();
  dataDir = await mkdtemp(join(tmpdir(), 'handrail-'));
  const config = loadConfig({
    flags: { dataDir, adminToken, demo: false, port: 0, egressAllow: ['127.0.0.1'], logLevel: 'trace' },
  });
  gateway = await createGateway(config, {
    log: createLog(config, { write: (line: string) => void shown.push(line) }),
  });
  for (const [i, { auth, fields }] of secrets.entries()) {
    const at = JSON.parse(
      JSON.stringify(auth)
        .replace('"url":""', `"url":"${upstream.origin}/login"`)
        .replace('"tokenUrl":""', `"tokenUrl":"${upstream.origin}/token"`),
    ) as AuthScheme;
    await ask('POST', '/api/v1/apis', {
      slug: `api-${i}`,
      baseUrl: upstream.origin,
      auth: at,
      headers: { 'X-Secret-Token': canary(100 + i) },
    });
    for (const path of ['/', '/refuse', '/redirect', '/text']) {
      await ask('POST', '/api/v1/tools', {
        api: `api-${i}`,
        name: `t${i}${path.slice(1)}`,
        description: 'x',
        operation: {
          method: 'POST',
          path,
          parameters: [
            { name: 'text', in: 'body', schema: { type: 'string' }, required: false },
            {
              name: 'token',
              in: 'query',
              key: 'api_key',
              schema: {},
              required: false,
              fixed: canary(200 + i),
            },
          ],
        },
      });
    }
    await ask('POST', '/api/v1/credentials', { api: `api-${i}`, fields });
  }
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
});

const found = (text: string): string[] =>
  [...secrets.keys()]
    .map(canary)
    .concat('c4n4ry-login-token', 'c4n4ry-access-token')
    .filter((secret) => formsOf(secret).some((form) => text.includes(form)));

describe('ten canary secrets', () => {
  it('are really sent, and appear in no answer, record, log line or page of the admin API', async () => {
    const rpc = (name: string) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { text: 'hi' } },
    });
    for (const i of secrets.keys()) {
      for (const path of ['', 'refuse', 'redirect', 'text']) {
        await ask('POST', '/mcp/tools/call', rpc(`t${i}${path}`));
        await ask('POST', '/mcp', rpc(`t${i}${path}`));
      }
    }
    for (const path of [
      'apis',
      'tools',
      'credentials',
      'calls',
      'audit',
      'servers',
      'keys',
      'openapi.json',
    ]) {
      const list = await ask(
        'GET',
        `/api/v1/${path}?limit=500`.replace('openapi.json?limit=500', 'openapi.json'),
      );
      const items = (JSON.parse(list) as { items?: { id: string }[] }).items ?? [];
      for (const { id } of items) await ask('GET', `/api/v1/${path}/${id}`);
    }
    for (const credential of gateway.registry.snapshot.credentials.keys())
      await ask('POST', `/api/v1/credentials/${credential}/test`, {});
    await ask('GET', '/mcp/tools/list');
    gateway.log.error(
      { err: new Error(`it broke with ${canary(0)}`), note: encodeURIComponent(canary(1)) },
      'a careless line',
    );
    expect(upstream.seen).toBeGreaterThan(80);
    expect(shown.join('\n')).toContain('[masked]');
    for (const text of shown) expect(found(text), text.slice(0, 2_000)).toEqual([]);
  });

  it('lie readable in no file of the data folder', async () => {
    await gateway.context.recorder.flush();
    for (const file of readdirSync(dataDir)) {
      // What an operator writes into an API's own headers or a fixed parameter is configuration, and kept as it is.
      const text = readFileSync(join(dataDir, file)).toString('latin1');
      expect(
        found(text).filter((secret) => !/\+[12]\d\d\//.test(secret)),
        file,
      ).toEqual([]);
    }
  });
});
