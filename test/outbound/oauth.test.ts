import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { json, neverIdlesOut, serveHttp } from '../support/servers/http-server.ts';
import type { TestServer } from '../support/servers/http-server.ts';
import { apiAt, callingStack, callOf, toolOf } from '../support/calling.ts';
import { startGateway } from '../support/gateway.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const clientSecret = randomBytes(24).toString('base64url');
const tokenSeconds = 60;

let provider: Provider;
let authServer: Server;
let issuer: string;
let upstream: TestServer;
let tokenRequests = 0;
const redirectUris = new Set<string>();
const closers: (() => Promise<void>)[] = [];

// The provider and we have one clock, which moves when a test says so: no token runs out on its way.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

/** Calls on until the provider has ended its tokens twice. */
async function whileTokensRunOut(attempt: () => Promise<void>): Promise<void> {
  for (let passed = 0; passed <= tokenSeconds * 2.5; passed += tokenSeconds / 10) {
    await attempt();
    vi.advanceTimersByTime(tokenSeconds * 100);
  }
}

beforeAll(async () => {
  authServer = createServer((request, response) => {
    if (request.url === '/token' && request.method === 'POST') tokenRequests++;
    void provider.callback()(request, response);
  });
  neverIdlesOut(authServer);
  await new Promise<void>((resolve) => authServer.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(authServer.address() as AddressInfo).port}`;
  const machine = {
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    id_token_signed_response_alg: 'ES256',
  };
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'basic',
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_basic',
        ...machine,
      },
      {
        client_id: 'post',
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        ...machine,
      },
      {
        client_id: 'jwt',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
        ...machine,
      },
      {
        client_id: 'web',
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/oauth/callback'],
        application_type: 'native',
        id_token_signed_response_alg: 'ES256',
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: true } },
    scopes: ['openid', 'offline_access', 'api'],
    pkce: { required: () => true },
    ttl: {
      ClientCredentials: tokenSeconds,
      AccessToken: tokenSeconds,
      RefreshToken: 3600,
      AuthorizationCode: 60,
      Grant: 3600,
      Session: 3600,
      Interaction: 3600,
      IdToken: 3600,
    },
    // Every refresh hands out a new refresh token and ends the old one.
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
  });
  upstream = await serveHttp(async (request, response) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const found = (await provider.ClientCredentials.find(token)) ?? (await provider.AccessToken.find(token));
    json(response, found === undefined ? 401 : 200, { good: found !== undefined });
  });
});

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

afterAll(async () => {
  await upstream.close();
  authServer.closeAllConnections();
  await new Promise((resolve) => authServer.close(resolve));
});

describe('OAuth 2.0 client credentials', () => {
  const cases = [
    ['a secret in the header', { clientAuth: 'client_secret_basic' }, { clientId: 'basic', clientSecret }],
    ['a secret in the body', { clientAuth: 'client_secret_post' }, { clientId: 'post', clientSecret }],
    [
      'a signed assertion',
      { clientAuth: 'private_key_jwt' },
      { clientId: 'jwt', privateKeyPem, keyId: 'k1' },
    ],
  ] as const;

  it.each(cases)('work with %s, discovered from the issuer', async (_name, rest, fields) => {
    const { store, run, close } = callingStack();
    closers.push(close);
    const api = apiAt(upstream.origin, {
      kind: 'oauth2',
      grant: 'client_credentials',
      issuer,
      scopes: ['api'],
      ...rest,
    });
    store(api, fields);
    const before = tokenRequests;
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => run(callOf(toolOf(api)))));
    expect(outcomes.every((outcome) => outcome.kind === 'done')).toBe(true);
    expect(tokenRequests).toBe(before + 1);
    // The provider forgets the token when its time is over; ours is renewed a little earlier.
    await whileTokensRunOut(async () => {
      expect(await run(callOf(toolOf(api)))).toMatchObject({ kind: 'done' });
    });
    expect(tokenRequests - before).toBeGreaterThanOrEqual(3);
    expect(tokenRequests - before).toBeLessThanOrEqual(5);
  });

  it('work with a token URL alone', async () => {
    const { store, run, close } = callingStack();
    closers.push(close);
    const api = apiAt(upstream.origin, {
      kind: 'oauth2',
      grant: 'client_credentials',
      tokenUrl: `${issuer}/token`,
    });
    store(api, { clientId: 'basic', clientSecret });
    expect(await run(callOf(toolOf(api)))).toMatchObject({ kind: 'done' });
  });

  it('say what to fix', async () => {
    const { store, run, close } = callingStack();
    closers.push(close);
    const failing = async (auth: object, fields: Record<string, string>) => {
      const api = apiAt(upstream.origin, { kind: 'oauth2', grant: 'client_credentials', ...auth });
      store(api, fields);
      const outcome = await run(callOf(toolOf(api)));
      return outcome.kind === 'failed' ? `${outcome.error.code}: ${outcome.error.message}` : outcome.kind;
    };
    expect(await failing({ issuer }, { clientId: 'basic', clientSecret: 'wrong-secret-value' })).toMatch(
      /login_failed: .*client id or client secret is wrong/,
    );
    expect(await failing({ issuer }, { clientId: 'web', clientSecret })).toMatch(
      /requested grant type is not allowed/,
    );
    expect(await failing({ issuer: `${issuer}/nowhere` }, { clientId: 'basic', clientSecret })).toMatch(
      /does not publish usable metadata/,
    );
    expect(await failing({ tokenUrl: `${upstream.origin}/` }, { clientId: 'basic', clientSecret })).toMatch(
      /client id or client secret is wrong|not OAuth 2.0/,
    );
  });
});

describe('OAuth 2.0 authorization code', () => {
  it('connects an API once in the browser, then renews by itself, also after a restart', async () => {
    const main = await startGateway({ egressAllow: ['127.0.0.1'] });
    closers.push(main.close);
    const url = await main.gateway.listen();
    await addRedirectUri(`${url}/oauth/callback`);
    await main.request('POST', '/api/v1/apis', {
      slug: 'mail',
      baseUrl: upstream.origin,
      auth: {
        kind: 'oauth2',
        grant: 'authorization_code',
        issuer,
        scopes: ['openid', 'offline_access', 'api'],
      },
    });
    await main.request('POST', '/api/v1/tools', {
      api: 'mail',
      name: 'mail',
      description: 'x',
      operation: { method: 'GET', path: '/', parameters: [] },
    });
    const credential = (
      await main.request('POST', '/api/v1/credentials', {
        api: 'mail',
        fields: { clientId: 'web', clientSecret },
      })
    ).json<{ id: string }>();
    expect(await call(main.gateway)).toMatch(/not connected yet/);

    const begun = (await main.request('POST', `/api/v1/credentials/${credential.id}/connect`)).json<{
      startUrl: string;
    }>();
    const { callback, page } = await browse(begun.startUrl);
    expect(page).toContain('is connected');
    expect(page).not.toContain(clientSecret);
    expect(await call(main.gateway)).toBe('{"good":true}');

    // The same answer a second time, as an attacker would send it, changes nothing.
    expect((await fetch(callback)).status).toBe(400);

    await whileTokensRunOut(async () => {
      expect(await call(main.gateway)).toBe('{"good":true}');
    });

    const again = await startGateway({ dataDir: main.dataDir, egressAllow: ['127.0.0.1'] });
    closers.push(again.close);
    expect(await call(again.gateway)).toBe('{"good":true}');
  });

  it('refuses an answer that was not begun here', async () => {
    const main = await startGateway();
    closers.push(main.close);
    const answer = await main.request('GET', '/oauth/callback?code=x&state=v1.a.b.c', undefined, {});
    expect(answer.statusCode).toBe(400);
    expect(answer.payload).toContain('start over');
  });
});

async function addRedirectUri(uri: string): Promise<void> {
  redirectUris.add(uri);
  const client = await provider.Client.find('web');
  client!.redirectUris = [...redirectUris];
  client!.redirectUriAllowed = (value: string) => redirectUris.has(value);
}

async function call(gateway: Awaited<ReturnType<typeof startGateway>>['gateway']): Promise<string> {
  const answer = await gateway.app.inject({
    method: 'POST',
    url: '/mcp/tools/call',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'mail', arguments: {} },
    }),
  });
  const body = answer.json<{ result?: { content: { text: string }[] }; error?: { message: string } }>();
  return body.result?.content[0]?.text ?? body.error?.message ?? '';
}

/** A person with a browser: follows redirects with cookies, signs in and agrees on the provider's own pages. */
async function browse(start: string): Promise<{ callback: string; page: string }> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: Record<string, string> | null = null;
  for (let step = 0; step < 30; step++) {
    const response = await fetch(url, {
      redirect: 'manual',
      method: form === null ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== null && { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name, ...value] = line.split(';', 1)[0]!.split('=');
      cookies.set(name, value.join('='));
    }
    form = null;
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      continue;
    }
    const page = await response.text();
    if (url.includes('/oauth/callback')) return { callback: url, page };
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`no way on from ${url}: ${page.slice(0, 500)}`);
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? '';
    form = prompt === 'login' ? { prompt, login: 'ann', password: 'x' } : { prompt };
    url = new URL(action, url).href;
  }
  throw new Error('the browser went in circles');
}
