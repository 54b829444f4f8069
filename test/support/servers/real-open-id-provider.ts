import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, interactionPolicy, Provider } from 'oidc-provider';
import { neverIdlesOut } from './http-server.ts';

/** What makes one vendor's provider differ from others. */
export interface Flavor {
  /** The path of its issuer, as a vendor has it. */
  readonly path: string;
  readonly authMethod: 'client_secret_basic' | 'client_secret_post';
  /** The claims that each scope gives. */
  readonly claims: Record<string, readonly string[]>;
  /** Whether the claims are in the ID token; otherwise only the userinfo endpoint gives them. */
  readonly inIdToken: boolean;
  /** Whom it signs in. */
  readonly subject?: string;
  readonly account: Readonly<Record<string, unknown>>;
}

/** A real provider (`oidc-provider`), configured like a vendor's; it signs in one account without asking. */
export async function startRealProvider(
  flavor: Flavor,
  client: { readonly id: string; readonly secret: string; readonly redirectUri: string },
): Promise<{ readonly issuer: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void serve(request, response));
  neverIdlesOut(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${flavor.path}`;
  const prefix = flavor.path.replace(/\/$/, '');
  const policy = interactionPolicy.base();
  policy.remove('consent');
  const configuration: Configuration = {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        token_endpoint_auth_method: flavor.authMethod,
      },
    ],
    clientAuthMethods: [flavor.authMethod],
    claims: { ...flavor.claims, openid: ['sub', ...(flavor.claims['openid'] ?? [])] },
    scopes: Object.keys(flavor.claims),
    conformIdTokenClaims: !flavor.inIdToken,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...flavor.account }) }),
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      });
      grant.addOIDCScope(String(ctx.oidc.params?.['scope']));
      await grant.save();
      return grant;
    },
    interactions: { policy, url: (_ctx, { uid }) => `${prefix}/interaction/${uid}` },
    cookies: { keys: ['a key for tests only'] },
  };
  const provider = new Provider(issuer, configuration);
  const callback = provider.callback();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (!path.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    if (path.startsWith(`${prefix}/interaction/`)) {
      const accountId = flavor.subject ?? 'subject-1';
      await provider.interactionFinished(request, response, { login: { accountId } });
      return;
    }
    Object.assign(request, { originalUrl: path, url: path.slice(prefix.length) });
    await callback(request, response);
  }

  return {
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
