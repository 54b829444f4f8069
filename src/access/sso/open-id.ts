import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { IdentityProvider, SignInFacts } from '../../domain/identity-provider.ts';
import { jsonValue, type Infer, integer, object, optional, text } from '../../lib/schema/schema.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import { fetchAsResponse } from '../../upstream/fetch-as-response.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { groupClaimsIn } from '../tokens/token-caller.ts';

/** What a sign-in that was started remembers in its browser: nothing in it is of use to anyone else. */
const started = object({
  provider: text({ min: 1, max: 100 }),
  state: text({ min: 20, max: 100 }),
  nonce: text({ min: 20, max: 100 }),
  verifier: text({ min: 20, max: 200 }),
  expiresAtMs: integer(),
  to: text({ max: 2_000 }),
  /** A trial shows an owner what the provider says, and signs no one in. */
  trial: optional(jsonValue<JsonValue>()),
});

type Started = Infer<typeof started>;

/** What came of a sign-in at a provider. */
export interface Finished {
  readonly facts: SignInFacts;
  /** Everything the provider said, for trials. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly to: string;
  readonly isTrial: boolean;
}

/** Signs people in with OpenID Connect: authorization code with PKCE, state and nonce, all bound to one browser. */
export interface OpenId {
  /** The provider's own description; rejects with what is wrong with it. */
  discover(provider: IdentityProvider): Promise<oauth.AuthorizationServer>;
  /** Where to send the browser, and what it keeps meanwhile. */
  start(
    provider: IdentityProvider,
    request: { readonly redirectUri: string; readonly to: string; readonly isTrial: boolean },
  ): Promise<{ readonly url: string; readonly kept: string }>;
  finish(
    provider: IdentityProvider,
    answer: { readonly callback: URL; readonly redirectUri: string; readonly kept: string | null },
  ): Promise<Finished>;
  /** Signs a short text, so that it can come back through a browser; and reads it. */
  sign(value: string): string;
  verify(signed: string): string | null;
}

/** How long a sign-in at the provider may take. */
export const signInMs = 10 * 60_000;

const discoveryKeptMs = 5 * 60_000;
const clockToleranceS = 60;
const timeoutMs = 10_000;

export function createOpenId({
  fetch,
  secretOf,
  stateKey,
  now,
}: {
  readonly fetch: FetchGuarded;
  /** The client secret; null for a public client. */
  readonly secretOf: (provider: IdentityProvider) => string | null;
  readonly stateKey: Buffer;
  readonly now: () => number;
}): OpenId {
  const discovered = new Map<string, { readonly server: oauth.AuthorizationServer; readonly atMs: number }>();
  const options = {
    [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) =>
      fetchAsResponse(fetch, url, init, { timeoutMs }),
    // The egress guard decides whether plain http is allowed: only an owner can enter such an address.
    [oauth.allowInsecureRequests]: true as const,
  };

  async function discover(provider: IdentityProvider): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(provider.issuer);
    const response = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    if (server.authorization_endpoint === undefined || server.token_endpoint === undefined)
      throw accessErrors.providerFailed({
        name: provider.name,
        why: 'its metadata has no authorization_endpoint or no token_endpoint',
      });
    discovered.set(provider.issuer, { server, atMs: now() });
    return server;
  }

  async function serverOf(provider: IdentityProvider): Promise<oauth.AuthorizationServer> {
    const known = discovered.get(provider.issuer);
    if (known !== undefined && now() - known.atMs < discoveryKeptMs) return known.server;
    return discover(provider);
  }

  const clientOf = ({ clientId }: IdentityProvider): oauth.Client => ({
    client_id: clientId,
    [oauth.clockTolerance]: clockToleranceS,
  });

  function authOf(provider: IdentityProvider, server: oauth.AuthorizationServer): oauth.ClientAuth {
    const secret = secretOf(provider);
    if (secret === null) return oauth.None();
    const methods = server.token_endpoint_auth_methods_supported;
    return methods === undefined || methods.includes('client_secret_basic')
      ? oauth.ClientSecretBasic(secret)
      : oauth.ClientSecretPost(secret);
  }

  const macOf = (content: string) => createHmac('sha256', stateKey).update(content).digest('base64url');

  const sign = (value: string): string => {
    const content = Buffer.from(value).toString('base64url');
    return `${content}.${macOf(content)}`;
  };

  const verify = (signed: string): string | null => {
    const [content = '', mac = ''] = signed.split('.');
    const expected = Buffer.from(macOf(content));
    const given = Buffer.from(mac);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    return Buffer.from(content, 'base64url').toString();
  };

  function readKept(provider: IdentityProvider, kept: string | null): Started {
    const content = kept === null ? null : verify(kept);
    const value = content === null ? null : readJson(started, content);
    if (value === null || value.expiresAtMs <= now()) throw accessErrors.signInExpired();
    // Each provider has its own redirect URI: an answer at another's is a mix-up.
    if (value.provider !== provider.id) throw accessErrors.signInExpired();
    return value;
  }

  return {
    discover: (provider) => explained(provider, () => discover(provider)),

    start: (provider, { redirectUri, to, isTrial }) =>
      explained(provider, async () => {
        const server = await serverOf(provider);
        const random = () => randomBytes(32).toString('base64url');
        const kept: Started = {
          provider: provider.id,
          state: random(),
          nonce: random(),
          verifier: oauth.generateRandomCodeVerifier(),
          expiresAtMs: now() + signInMs,
          to,
          ...(isTrial && { trial: true }),
        };
        const url = new URL(server.authorization_endpoint!);
        const parameters = {
          response_type: 'code',
          client_id: provider.clientId,
          redirect_uri: redirectUri,
          scope: (provider.scopes ?? ['openid', 'profile', 'email']).join(' '),
          state: kept.state,
          nonce: kept.nonce,
          code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
          code_challenge_method: 'S256',
        };
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
        return { url: url.href, kept: sign(JSON.stringify(kept)) };
      }),

    finish: (provider, { callback, redirectUri, kept }) =>
      explained(provider, async () => {
        const { state, nonce, verifier, to, trial } = readKept(provider, kept);
        const server = await serverOf(provider);
        const client = clientOf(provider);
        // Also checks the issuer in the answer (RFC 9207), so that no other provider's code is sent here.
        const parameters = oauth.validateAuthResponse(server, client, callback, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authOf(provider, server),
          parameters,
          redirectUri,
          verifier,
          options,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        try {
          await oauth.validateApplicationLevelSignature(server, response, options);
        } catch {
          // Its keys may have changed. The library keeps them with the object, so another one makes it read them again.
          await oauth.validateApplicationLevelSignature({ ...server }, response, options);
        }
        const fromToken = oauth.getValidatedIdTokenClaims(tokens)!;
        if (fromToken.iat - clockToleranceS > now() / 1000)
          throw accessErrors.providerFailed({
            name: provider.name,
            why: 'its answer is dated in the future',
          });
        const claims: Record<string, unknown> = { ...fromToken };
        if (server.userinfo_endpoint !== undefined) {
          const info = await oauth.userInfoRequest(server, client, tokens.access_token, options);
          const said = await oauth.processUserInfoResponse(server, client, fromToken.sub, info);
          for (const [name, value] of Object.entries(said)) claims[name] ??= value;
        }
        return {
          facts: factsOf(provider, fromToken.sub, claims),
          claims,
          to,
          isTrial: trial === true,
        };
      }),

    sign,
    verify,
  };
}

function factsOf(
  provider: IdentityProvider,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
): SignInFacts {
  const email = claims['email'];
  const name = [claims['name'], claims['preferred_username'], email, subject].find(
    (value): value is string => typeof value === 'string' && oneLine(value, 100) !== '',
  );
  return {
    issuer: provider.issuer,
    subject,
    name: oneLine(name ?? '', 100) || 'unnamed',
    email: typeof email === 'string' && email.length <= 320 && email === oneLine(email, 320) ? email : null,
    emailVerified: claims['email_verified'] === true,
    values: groupClaimsIn(claims, provider.groupsClaim).toSorted(),
  };
}

/** Runs a step, and says in words what a provider did wrong. Never repeats codes, tokens or descriptions from outside. */
async function explained<T>(provider: IdentityProvider, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof HandrailError) {
      if (error.code === 'unauthenticated' || error.code === 'forbidden') throw error;
      throw accessErrors.providerFailed({ name: provider.name, why: error.message }, {}, { cause: error });
    }
    if (error instanceof oauth.AuthorizationResponseError)
      throw accessErrors.providerRefused(
        { name: provider.name, code: plain(error.error) },
        {},
        { cause: error },
      );
    if (error instanceof oauth.ResponseBodyError)
      throw accessErrors.providerFailed(
        { name: provider.name, why: fixes[error.error] ?? `it answered ${plain(error.error)}` },
        {},
        { cause: error },
      );
    throw accessErrors.providerFailed(
      {
        name: provider.name,
        why: error instanceof Error ? plain(error.message) : 'its answer cannot be used',
      },
      {},
      { cause: error },
    );
  }
}

const plain = (words: string): string => words.replaceAll(/[^\w .,:;()"'/-]/g, '').slice(0, 200);

const fixes: Readonly<Record<string, string>> = {
  invalid_client: 'the client ID or client secret is wrong',
  invalid_grant:
    'it did not accept the code: sign in again, and check that the redirect URI is registered exactly as shown',
  unauthorized_client: 'this client may not use the authorization code grant',
};
