import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectApp, makeApp } from '../support/sign-in/app.ts';
import { agree, PageReader } from '../support/sign-in/page-reader.ts';
import { RawApp, textOf } from '../support/sign-in/raw-app.ts';
import { runInspector } from '../support/sign-in/run-client.ts';
import { ada, type SignInGateway, startSignInGateway } from '../support/sign-in/sign-in-gateway.ts';

// A folder with a certificate for localhost that this process trusts: test/suites/sign-in.sh.
const { SIGN_IN_TLS: folder, SIGN_IN_INSPECTOR: inspector } = process.env;

describe.skipIf(folder === undefined)('a client metadata document', () => {
  let at: SignInGateway;
  let server: Server;
  let origin: string;
  const asked: string[] = [];
  let publicKey: object;
  let elsewhere = 0;

  const redirects = ['http://127.0.0.1:7001/callback'];
  const document = (path: string, more: object = {}) =>
    JSON.stringify({
      client_id: `${origin}${path}`,
      client_name: 'A published app',
      redirect_uris: redirects,
      token_endpoint_auth_method: 'none',
      ...more,
    });
  const json = (response: ServerResponse, body: string) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);

  const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/good.json': (response) => json(response, document('/good.json')),
    '/large.json': (response) =>
      json(response, document('/large.json', { more: 'x'.repeat(5 * 1024 * 1024) })),
    '/endless.json'(response) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    },
    '/silent.json': () => {},
    '/moved.json': (response) => response.writeHead(302, { location: `${origin}/elsewhere.json` }).end(),
    '/elsewhere.json'(response) {
      elsewhere++;
      json(response, document('/moved.json'));
    },
    '/other-id.json': (response) => json(response, document('/good.json')),
    '/secret.json': (response) =>
      json(
        response,
        document('/secret.json', { client_secret: 's', token_endpoint_auth_method: 'client_secret_post' }),
      ),
    '/other-redirect.json': (response) =>
      json(response, document('/other-redirect.json', { redirect_uris: ['https://app.example.com/cb'] })),
    '/script-redirect.json': (response) =>
      json(
        response,
        document('/script-redirect.json', { redirect_uris: [...redirects, 'javascript:alert(1)'] }),
      ),
    '/system-redirect.json': (response) =>
      json(
        response,
        document('/system-redirect.json', { redirect_uris: [...redirects, 'ssh://evil.example'] }),
      ),
    '/keys.json'(response) {
      const more = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [publicKey] } };
      json(response, document('/keys.json', more));
    },
    '/html.json': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    '/error.json': (response) => response.writeHead(500).end(),
  };

  beforeAll(async () => {
    server = createServer(
      { key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`) },
      (request, response) => {
        asked.push(request.url ?? '');
        (pages[request.url ?? ''] ?? pages['/error.json']!)(response);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    origin = `https://localhost:${port}`;
    at = await startSignInGateway({
      egressAllow: `127.0.0.1,localhost:${port}`,
      refusalsPerMinute: 100_000,
      refusalsPerMinuteInTotal: 100_000,
    });
  });
  afterAll(async () => {
    await at.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('lets an app connect without registering, and vouches for its domain', async () => {
    const app = makeApp('ignored', { clientMetadataUrl: `${origin}/good.json` });
    const browser = new PageReader(at.url);
    let shown = '';
    const { client } = await connectApp(`${at.url}/mcp/team`, app, async (url) => {
      shown = textOf(await browser.open(url));
      return agree(browser, url, ada);
    });
    expect(shown).toContain('A published app');
    expect(shown).toContain('Verified');
    expect(shown).toContain('localhost');
    expect((await client.callTool({ name: 'list_orders', arguments: {} })).isError).toBeFalsy();
    expect(app.kept.client).toMatchObject({ client_id: `${origin}/good.json` });
    await client.close();
    // Read once for all the requests above.
    expect(asked.filter((path) => path === '/good.json')).toHaveLength(1);
  });

  it.skipIf(inspector === undefined)('is what the Inspector names instead of registering', async () => {
    const output = await runInspector(inspector!, at.url, folder!, [
      '--client-metadata-url',
      `${origin}/good.json`,
    ]);
    expect(output).toContain('"content"');
    expect(await at.gateway.store.grants.count('Client')).toBe(0);
  });

  it('lets an app prove itself with its published key: signed, once, for ten minutes at most', async () => {
    const [own, foreign] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
    publicKey = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256' };
    const app = new RawApp(at.url, redirects[0]);
    app.clientId = `${origin}/keys.json`;
    const claims = () => ({ iss: app.clientId, sub: app.clientId, aud: at.url, jti: randomUUID() });
    const signed = (key = own.privateKey, expires = '5m') =>
      new SignJWT(claims())
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(key);
    const proof = (assertion: string) => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    });
    const back = await agree(new PageReader(at.url), app.authorizeUrl(`${at.url}/mcp/team`), ada);
    const code = back.searchParams.get('code')!;
    for (const [what, fields] of Object.entries({
      nothing: {},
      unsigned: proof(new UnsecuredJWT(claims()).setExpirationTime('5m').encode()),
      'another key': proof(await signed(foreign.privateKey)),
      'a day long': proof(await signed(own.privateKey, '1d')),
    }))
      expect((await app.exchange(code, fields)).body.error, what).toBe('invalid_client');
    const good = proof(await signed());
    const first = await app.exchange(code, good);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect((await app.refresh(first.body.refresh_token, good)).body.error).toBe('invalid_client');
    expect((await app.refresh(first.body.refresh_token, proof(await signed()))).status).toBe(200);
  });

  it.each([
    'large',
    'endless',
    'silent',
    'moved',
    'other-id',
    'secret',
    'other-redirect',
    'script-redirect',
    'system-redirect',
    'html',
    'error',
  ])('is refused, without a redirect to the app: %s', async (name) => {
    const app = new RawApp(at.url, redirects[0]);
    app.clientId = `${origin}/${name}.json`;
    const page = await new PageReader(at.url).open(app.authorizeUrl(`${at.url}/mcp/team`));
    expect([page.status, page.url.host]).toEqual([400, new URL(at.url).host]);
    expect(textOf(page)).toContain('could not be connected');
    expect(elsewhere).toBe(0);
  });
});
