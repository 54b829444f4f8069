import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { neverIdlesOut } from './http-server.ts';

/** An API whose users sign in at a real authorization server; it answers with whose account a call used. */
export interface ApiWithAccounts {
  readonly origin: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next at the authorization server. */
  account: string;
  /** Whether its authorization server is away, and the tokens that it gave have expired. */
  isAway: boolean;
  /** Ends everything that was granted to an account. */
  revoke(account: string): Promise<void>;
  /** Signs in as a browser does; returns the address that the browser is sent back to. */
  signIn(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

/** `redirectUri` can be any loopback port: the client is a native one. */
export async function startApiWithAccounts(): Promise<ApiWithAccounts> {
  const clientSecret = randomBytes(24).toString('base64url');
  const keys = randomBytes(16).toString('hex');
  const server = createServer((request, response) => void answer(request, response));
  neverIdlesOut(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: 'handrail',
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/oauth/callback'],
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    cookies: { keys: [keys] },
    scopes: ['openid', 'offline_access'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 60, RefreshToken: 3600, AuthorizationCode: 60 },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
  });
  const callback = provider.callback();
  const revoked = new Set<string>();

  async function answer(...[request, response]: Parameters<typeof callback>): Promise<void> {
    if (request.url?.startsWith('/interaction/')) {
      const { params } = await provider.interactionDetails(request, response);
      const grant = new provider.Grant({ accountId: api.account, clientId: String(params['client_id']) });
      grant.addOIDCScope('openid offline_access');
      const grantId = await grant.save();
      return provider.interactionFinished(request, response, {
        login: { accountId: api.account },
        consent: { grantId },
      });
    }
    if (request.url?.startsWith('/me')) {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const found = await provider.AccessToken.find(token);
      const isGood = found !== undefined && !revoked.has(found.accountId) && !api.isAway;
      const account = isGood ? found.accountId : undefined;
      response.writeHead(account === undefined ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(account === undefined ? { error: 'unauthorized' } : { account }));
      return;
    }
    if (request.url === '/token' && api.isAway) {
      response.writeHead(503).end();
      return;
    }
    const isRefresh = request.url === '/token' && revoked.has(api.account);
    if (isRefresh) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'invalid_grant' }));
      return;
    }
    await callback(request, response);
  }

  const api: ApiWithAccounts = {
    origin,
    issuer: origin,
    clientId: 'handrail',
    clientSecret,
    account: 'nobody',
    isAway: false,
    async revoke(account) {
      revoked.add(account);
    },
    async signIn(authorizationUrl) {
      const jar = new Map<string, string>();
      let url = new URL(authorizationUrl);
      for (let step = 0; step < 10 && url.origin === origin; step++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const reply = await fetch(url, { redirect: 'manual', headers: { cookie } });
        await reply.arrayBuffer();
        for (const line of reply.headers.getSetCookie()) {
          const [pair = ''] = line.split(';');
          jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
        }
        const location = reply.headers.get('location');
        if (location === null) throw new Error(`the sign-in stopped at ${url.pathname} (${reply.status})`);
        url = new URL(location, url);
      }
      return url;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}
