import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

describe('the key of a model and the secret of an introspection, by reference', () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-references-'));
  const file = join(folder, 'key');
  const seen: { url: string; authorization: string }[] = [];
  let upstream: TestServer;
  let running: RunningGateway;

  beforeAll(async () => {
    writeFileSync(file, 'first-secret\n');
    upstream = await serveHttp((request, response) => {
      seen.push({ url: request.url!, authorization: request.headers.authorization ?? '' });
      response.writeHead(request.url === '/introspect' ? 200 : 401, { 'content-type': 'application/json' });
      response.end('{"active":false}');
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'], secretReferences: [`file:${folder}/*`] });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const reference = `\${file:${file}}`;
  const basic = (secret: string) => `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`;

  test('are found when used, and again after they changed', async () => {
    const { status, body } = await running.admin('POST', '/servers', {
      slug: 'guarded',
      name: 'Guarded',
      tools: [{ all: true }],
      policy: {
        kind: 'oauth',
        issuer: upstream.origin,
        introspection: { url: `${upstream.origin}/introspect`, clientId: 'me', clientSecret: reference },
      },
    });
    expect([status, JSON.stringify(body)]).toEqual([201, expect.not.stringContaining('first-secret')]);
    const call = (token: string) =>
      fetch(`${running.url}/mcp/guarded`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    await call('one');
    writeFileSync(file, 'second-secret-longer\n');
    await call('two');
    expect(seen.filter(({ url }) => url === '/introspect').map((one) => one.authorization)).toEqual([
      basic('first-secret'),
      basic('second-secret-longer'),
    ]);
  });

  test('are shown by name, and never written', async () => {
    const { status, body } = await running.admin('POST', '/models', {
      name: 'm',
      protocol: 'openai',
      baseUrl: upstream.origin,
      model: 'm',
      key: reference,
    });
    expect([status, body.keyReference, body.hasKey]).toEqual([201, reference, true]);
    const { body: listed } = await running.admin('GET', '/models');
    expect(listed.items[0].keyReference).toBe(reference);
  });

  test('are refused where the operator does not allow them', async () => {
    const { status, body } = await running.admin('POST', '/models', {
      name: 'n',
      protocol: 'openai',
      baseUrl: upstream.origin,
      model: 'm',
      key: '${file:/etc/hostname}',
    });
    expect([status, body.detail]).toEqual([422, expect.stringContaining('HANDRAIL_SECRET_REFERENCES')]);
  });
});
