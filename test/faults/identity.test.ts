import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { type FaultyGateway, makeFolder, startFaulty } from './faulty-gateway.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const folder = makeFolder();
let issuer: TestServer;
let api: TestServer;
let gateway: FaultyGateway;
let answer: Answer;
let sign: (slug: string) => Promise<string>;
let healthy: Answer;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }];
  issuer = await serveHttp((request, response) => answer(request, response));
  healthy = (request, response) => {
    const own = `${issuer.origin}/${slugIn(request)}`;
    json(response, 200, request.url!.endsWith('/keys') ? { keys } : { issuer: own, jwks_uri: `${own}/keys` });
  };
  sign = (slug) => {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ sub: 'ann', iss: `${issuer.origin}/${slug}`, iat: now - 10, exp: now + 3_600 })
      .setAudience(`${gateway.url}/mcp/${slug}`)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey);
  };
  api = await serveHttp((_request, response) => json(response, 200, { fine: true }));
  answer = healthy;
  gateway = await startFaulty(join(folder.path, 'data'), ['--egress-allow', '127.0.0.1']);
  await gateway.register('kept', api.origin);
});
afterAll(async () => {
  await gateway.stop();
  await issuer.close();
  await api.close();
  folder.remove();
});

// Each server has an issuer of its own, so that nothing is remembered of it.
const slugIn = (request: IncomingMessage) => /signed-\d+/.exec(request.url!)?.[0] ?? 'signed';

const faults: Readonly<Record<string, Answer>> = {
  'answers 500': (_request, response) => json(response, 500, {}),
  'closes the connection': (request) => void request.socket.destroy(),
  'sends keys that are no keys': (request, response) =>
    json(
      response,
      200,
      request.url!.endsWith('/keys')
        ? { keys: [{ kty: 'EC', kid: 'one' }, 7, null] }
        : { issuer: `${issuer.origin}/${slugIn(request)}`, jwks_uri: `${issuer.origin}/keys` },
    ),
  'sends a page': (_request, response) =>
    response.setHeader('content-type', 'text/html').end('<html>Sign in</html>'),
  'sends ten megabytes': (_request, response) =>
    response.setHeader('content-type', 'application/json').end(`{"keys":["${'x'.repeat(10_000_000)}"]}`),
  'redirects to somewhere else': (_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
};

let made = 0;
async function ask(slug: string): Promise<number> {
  const answered = await fetch(`${gateway.url}/mcp/${slug}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await sign(slug)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      connection: 'close',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  await answered.text();
  return answered.status;
}

test.each(Object.entries(faults))(
  'an identity provider that %s lets nobody in and keeps nobody else out',
  async (_what, broken) => {
    const slug = `signed-${made++}`;
    const told = await gateway.admin('POST', '/servers', {
      slug,
      tools: '*',
      policy: { kind: 'oauth', issuer: `${issuer.origin}/${slug}` },
    });
    expect(told.status, JSON.stringify(told.body)).toBe(201);
    answer = broken;
    for (let i = 0; i < 3; i++) expect([401, 403, 502, 503]).toContain(await ask(slug));
    expect((await gateway.call('kept')).status).toBe(200);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    answer = healthy;
  },
);

test('lets everyone in again when it is back', async () => {
  answer = healthy;
  for (let i = 0; i < made; i++)
    await expect.poll(() => ask(`signed-${i}`), { interval: 1_000, timeout: 60_000 }).toBe(200);
});
