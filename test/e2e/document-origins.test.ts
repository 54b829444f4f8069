import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { serveHttp } from '../support/servers/http-server.ts';

/** An upstream that remembers the headers of what it was asked. */
async function serveListening() {
  const heard: IncomingHttpHeaders[] = [];
  const upstream = await serveHttp((req, res) => {
    heard.push(req.headers);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  return { ...upstream, heard };
}

describe('a document that sends an operation elsewhere', () => {
  const open: (() => Promise<void>)[] = [];
  let at: TestGateway;
  let own: Awaited<ReturnType<typeof serveListening>>;
  let other: Awaited<ReturnType<typeof serveListening>>;

  beforeEach(async () => {
    own = await serveListening();
    other = await serveListening();
    at = await startGateway({ egressAllow: ['127.0.0.1'] });
    open.push(() => at.close(), own.close, other.close);
  });
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  const text = (more: object = { security: [{ key: [] }] }) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Shelf', version: '1' },
      servers: [{ url: own.origin }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      ...more,
      paths: {
        '/books': { get: { operationId: 'books', responses: {} } },
        '/files': { get: { operationId: 'files', servers: [{ url: other.origin }], responses: {} } },
      },
    });
  async function ask(method: string, path: string, body?: object) {
    const reply = await at.request(method, `/api/v1${path}`, body);
    expect(reply.statusCode, reply.body).toBeLessThan(300);
    return reply.body === '' ? null : reply.json();
  }
  const call = (tool: string) => ask('POST', `/tools/${tool}/call`, {});
  const agree = (isAgreed: boolean) =>
    ask('POST', '/apis/shelf/origins', { origin: other.origin, agree: isAgreed });

  it('gets the secret of the API only once somebody agreed, and no longer when they take it back', async () => {
    const { imports } = await ask('POST', '/imports', { text: text() });
    expect(imports[0].origins).toEqual([{ origin: other.origin, tools: 1, agreed: false }]);
    expect(imports[0].notes).toContainEqual({
      code: 'origin_not_agreed',
      message: `The document sends 1 tool to ${other.origin}. The API's secrets are not sent there until you agree (--agree-origin ${other.origin}, or later: handrail apis agree shelf ${other.origin}).`,
    });
    await ask('POST', '/credentials', { api: 'shelf', secret: 'a-secret-for-shelf' });
    expect(await call('books')).toMatchObject({ ok: true });
    expect(own.heard[0]).toMatchObject({ authorization: 'Bearer a-secret-for-shelf' });
    const refused = await call('files');
    expect(refused).toMatchObject({ ok: false, error: { code: 'credential_missing' } });
    expect(refused.error.message).toContain(`handrail apis agree shelf ${other.origin}`);
    expect(other.heard).toEqual([]);

    expect(await agree(true)).toMatchObject({ origins: [{ origin: other.origin, tools: 1, agreed: true }] });
    expect(await call('files')).toMatchObject({ ok: true });
    expect(other.heard[0]).toMatchObject({ authorization: 'Bearer a-secret-for-shelf' });
    await agree(false);
    expect(await call('files')).toMatchObject({ ok: false });
    expect(await call('books')).toMatchObject({ ok: true });
    expect(other.heard).toHaveLength(1);
  });

  it('may be agreed to when it is imported, and a refresh asks no more', async () => {
    const first = await ask('POST', '/imports', { text: text(), agreeOrigins: [other.origin] });
    expect(first.imports[0].origins).toMatchObject([{ agreed: true }]);
    expect(first.imports[0].notes.map(({ code }: { code: string }) => code)).not.toContain(
      'origin_not_agreed',
    );
    await ask('POST', '/credentials', { api: 'shelf', secret: 'a-secret-for-shelf' });
    const again = await ask('POST', '/imports', { text: text({ security: [{ key: [] }], tags: [] }) });
    expect(again.imports[0].origins).toMatchObject([{ agreed: true }]);
    expect(await call('files')).toMatchObject({ ok: true });
  });

  it('is called without asking when there is no secret, and refused when a header or a fixed value is one', async () => {
    await ask('POST', '/imports', { text: text({}) });
    await ask('PATCH', '/apis/shelf', { auth: { kind: 'none' } });
    expect(await call('files')).toMatchObject({ ok: true });
    await ask('PATCH', '/apis/shelf', { headers: { 'x-api-key': 'a-secret-for-shelf' } });
    expect(await call('files')).toMatchObject({ ok: false, error: { code: 'credential_missing' } });
    expect(other.heard).toHaveLength(1);
    await agree(true);
    expect(await call('files')).toMatchObject({ ok: true });
    expect(other.heard[1]).toMatchObject({ 'x-api-key': 'a-secret-for-shelf' });
  });

  it('is nobody’s question where an operator wrote the address', async () => {
    await ask('POST', '/imports', { text: text() });
    await ask('POST', '/tools', {
      api: 'shelf',
      name: 'mine',
      description: 'By hand.',
      operation: { method: 'GET', path: '/mine', baseUrl: other.origin },
    });
    await ask('POST', '/credentials', { api: 'shelf', secret: 'a-secret-for-shelf' });
    expect(await call('mine')).toMatchObject({ ok: true });
    expect(other.heard).toHaveLength(1);
  });

  it('is agreed to by owners only, and only where the document goes', async () => {
    await ask('POST', '/imports', { text: text() });
    const wrong = await at.request('POST', '/api/v1/apis/shelf/origins', {
      origin: 'https://elsewhere.example',
      agree: true,
    });
    expect([wrong.statusCode, wrong.json().detail]).toEqual([
      422,
      `The document of "shelf" sends no operation to https://elsewhere.example, only to ${other.origin}.`,
    ]);
    const { invitationUrl } = await ask('POST', '/people', { name: 'Ed', role: 'editor' });
    const token = /[^/=#]+$/.exec(invitationUrl)![0];
    const accepted = await at.request(
      'POST',
      '/api/v1/invitation/accept',
      { token, password: 'a-long-password-for-ed' },
      { origin: 'http://localhost' },
    );
    expect(accepted.statusCode, accepted.body).toBe(201);
    const session = sessionOf(accepted);
    for (const [path, body] of [
      ['/apis/shelf/origins', { origin: other.origin, agree: true }],
      ['/imports', { text: text(), agreeOrigins: [other.origin] }],
    ] as const)
      expect((await at.request('POST', `/api/v1${path}`, body, session)).statusCode, path).toBe(403);
  });
});
