import { createPrivateKey } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { OAuth2Scheme } from '../../domain/auth-scheme.ts';
import { credentialErrors } from '../../domain/error-messages/credentials.ts';
import { HandrailError } from '../../domain/errors.ts';
import { fetchAsResponse } from '../../upstream/fetch-as-response.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import type { SecretFields } from '../seal.ts';
import { isFresh, type Token } from '../token-keeper.ts';

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
/** How long a token is used whose lifetime the authorization server doesn't say. */
const unknownLifetimeMs = 300_000;
const discoveryKeptMs = 3_600_000;

/** What an authorization server returned: a token, and the secret fields if they changed. */
export interface TokenGrant {
  readonly token: Token;
  readonly changedFields: SecretFields | null;
}

/** Speaks OAuth 2.0 to authorization servers, always through the guarded fetch. */
export interface OAuthClient {
  /** Obtains an access token by the scheme's grant. `refused` is a token that the API rejected. */
  obtain(
    scheme: OAuth2Scheme,
    fields: SecretFields,
    egressAllow: readonly string[] | undefined,
    refused: string | null,
  ): Promise<TokenGrant>;
  /** Requests a new access token, even if a valid one is stored. */
  renew(
    scheme: OAuth2Scheme,
    fields: SecretFields,
    egressAllow: readonly string[] | undefined,
  ): Promise<TokenGrant>;
  /** Exchanges the access token of a caller for one of the API (RFC 8693). `refused` is one that the API rejected. */
  exchangeToken(
    scheme: OAuth2Scheme,
    fields: SecretFields,
    egressAllow: readonly string[] | undefined,
    subjectToken: string,
    refused: string | null,
  ): Promise<Token>;
  /** The URL an operator opens to connect the API, with our code verifier (RFC 7636). */
  authorizationUrl(
    scheme: OAuth2Scheme,
    fields: SecretFields,
    egressAllow: readonly string[] | undefined,
    request: { readonly redirectUri: string; readonly state: string; readonly verifier: string },
  ): Promise<string>;
  /** Exchanges the authorization server's callback for tokens. */
  exchangeCode(
    scheme: OAuth2Scheme,
    fields: SecretFields,
    egressAllow: readonly string[] | undefined,
    answer: {
      readonly callback: URL;
      readonly redirectUri: string;
      readonly state: string;
      readonly verifier: string;
    },
  ): Promise<TokenGrant>;
}

export function createOAuthClient(fetch: FetchGuarded, now: () => number): OAuthClient {
  const discovered = new Map<string, { readonly server: oauth.AuthorizationServer; readonly atMs: number }>();

  function options(egressAllow: readonly string[] | undefined) {
    return {
      [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) =>
        fetchAsResponse(fetch, url, init, egressAllow && { egressAllow }),
      // The egress guard decides whether plain http is allowed: only an operator can enter such an address.
      [oauth.allowInsecureRequests]: true as const,
    };
  }

  async function serverOf(
    scheme: OAuth2Scheme,
    egressAllow: readonly string[] | undefined,
  ): Promise<oauth.AuthorizationServer> {
    const given = {
      ...(scheme.tokenUrl !== undefined && { token_endpoint: scheme.tokenUrl }),
      ...(scheme.authorizationUrl !== undefined && { authorization_endpoint: scheme.authorizationUrl }),
    };
    if (scheme.issuer === undefined) {
      if (scheme.tokenUrl === undefined)
        throw oauthError('the API has neither an issuer nor a token URL: add one of them');
      return { issuer: new URL(scheme.tokenUrl).origin, ...given };
    }
    const held = discovered.get(scheme.issuer);
    if (held !== undefined && now() - held.atMs < discoveryKeptMs) return { ...held.server, ...given };
    const server = await discover(new URL(scheme.issuer), options(egressAllow));
    discovered.set(scheme.issuer, { server, atMs: now() });
    return { ...server, ...given };
  }

  /** Runs a grant and explains failures. */
  async function grant(
    work: () => Promise<oauth.TokenEndpointResponse>,
    fields: SecretFields,
  ): Promise<TokenGrant> {
    try {
      return toGrant(await work(), fields, now());
    } catch (error) {
      throw toOAuthError(error);
    }
  }

  const renew: OAuthClient['renew'] = (scheme, fields, egressAllow) =>
    grant(async () => {
      const server = await serverOf(scheme, egressAllow);
      const client = { client_id: fields['clientId'] ?? '' };
      const auth = await clientAuth(scheme, fields);
      const parameters = new URLSearchParams();
      if (scheme.scopes && scheme.scopes.length > 0) parameters.set('scope', scheme.scopes.join(' '));
      if (scheme.audience !== undefined) parameters.set('audience', scheme.audience);
      if (scheme.grant === 'client_credentials') {
        const response = await oauth.clientCredentialsGrantRequest(
          server,
          client,
          auth,
          parameters,
          options(egressAllow),
        );
        return oauth.processClientCredentialsResponse(server, client, response);
      }
      const refreshToken = fields['refreshToken'];
      if (!refreshToken) {
        throw oauthError(
          'this API is not connected yet, or its connection has expired: an operator must connect it in the browser',
        );
      }
      const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, {
        ...options(egressAllow),
        additionalParameters: parameters,
      });
      return oauth.processRefreshTokenResponse(server, client, response);
    }, fields);

  return {
    async obtain(scheme, fields, egressAllow, refused) {
      const kept = keptToken(fields, refused, now());
      return kept === null ? renew(scheme, fields, egressAllow) : { token: kept, changedFields: null };
    },
    renew,

    async exchangeToken(scheme, fields, egressAllow, subjectToken, refused) {
      try {
        const server = await serverOf(scheme, egressAllow);
        const client = { client_id: fields['clientId'] ?? '' };
        const parameters = new URLSearchParams({
          subject_token: subjectToken,
          subject_token_type: accessTokenType,
          requested_token_type: accessTokenType,
          ...(scheme.audience !== undefined && { audience: scheme.audience }),
        });
        if (scheme.scopes && scheme.scopes.length > 0) parameters.set('scope', scheme.scopes.join(' '));
        const response = await oauth.genericTokenEndpointRequest(
          server,
          client,
          await clientAuth(scheme, fields),
          'urn:ietf:params:oauth:grant-type:token-exchange',
          parameters,
          options(egressAllow),
        );
        const granted = await oauth.processGenericTokenEndpointResponse(server, client, response);
        if (granted.access_token === refused || granted.access_token === subjectToken)
          throw oauthError('the authorization server returned the token that it was to replace');
        const expiresAtMs = granted.expires_in === undefined ? now() + unknownLifetimeMs : null;
        return {
          value: granted.access_token,
          expiresAtMs: expiresAtMs ?? now() + (granted.expires_in ?? 0) * 1000,
          obtainedAtMs: now(),
        };
      } catch (error) {
        throw toOAuthError(error, exchangeFixes);
      }
    },

    async authorizationUrl(scheme, fields, egressAllow, { redirectUri, state, verifier }) {
      const server = await serverOf(scheme, egressAllow).catch((error: unknown) => {
        throw toOAuthError(error);
      });
      if (server.authorization_endpoint === undefined) {
        throw oauthError('the authorization URL is not known: add it, or an issuer that publishes it');
      }
      const url = new URL(server.authorization_endpoint);
      url.searchParams.set('response_type', 'code');
      url.searchParams.set('client_id', fields['clientId'] ?? '');
      url.searchParams.set('redirect_uri', redirectUri);
      url.searchParams.set('state', state);
      url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(verifier));
      url.searchParams.set('code_challenge_method', 'S256');
      if (scheme.scopes && scheme.scopes.length > 0) url.searchParams.set('scope', scheme.scopes.join(' '));
      if (scheme.audience !== undefined) url.searchParams.set('audience', scheme.audience);
      // OpenID servers issue a refresh token only after explicit consent.
      if (scheme.scopes?.includes('offline_access')) url.searchParams.set('prompt', 'consent');
      return url.href;
    },

    exchangeCode(scheme, fields, egressAllow, { callback, redirectUri, state, verifier }) {
      return grant(async () => {
        const server = await serverOf(scheme, egressAllow);
        const client = { client_id: fields['clientId'] ?? '' };
        const parameters = oauth.validateAuthResponse(server, client, callback, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          await clientAuth(scheme, fields),
          parameters,
          redirectUri,
          verifier,
          options(egressAllow),
        );
        return oauth.processAuthorizationCodeResponse(server, client, response);
      }, fields);
    },
  };
}

// OpenID Connect discovery first, then RFC 8414: both are in use.
async function discover(issuer: URL, options: object): Promise<oauth.AuthorizationServer> {
  let problem: unknown;
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    try {
      const response = await oauth.discoveryRequest(issuer, { ...options, algorithm });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      problem ??= error;
      if (error instanceof HandrailError) break;
    }
  }
  if (problem instanceof HandrailError) throw problem;
  throw oauthError(
    `the issuer ${issuer.origin} does not publish usable metadata: check the issuer, or enter the token URL instead`,
    undefined,
    problem,
  );
}

async function clientAuth(scheme: OAuth2Scheme, fields: SecretFields): Promise<oauth.ClientAuth> {
  switch (scheme.clientAuth ?? 'client_secret_basic') {
    case 'none':
      return oauth.None();
    case 'client_secret_basic':
      return oauth.ClientSecretBasic(fields['clientSecret'] ?? '');
    case 'client_secret_post':
      return oauth.ClientSecretPost(fields['clientSecret'] ?? '');
    case 'private_key_jwt': {
      const key = await importPrivateKey(fields['privateKeyPem'] ?? '');
      return oauth.PrivateKeyJwt({ key, ...(fields['keyId'] && { kid: fields['keyId'] }) });
    }
  }
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

async function importPrivateKey(pem: string): Promise<oauth.CryptoKey> {
  try {
    const key = createPrivateKey(pem);
    const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
    const algorithm =
      key.asymmetricKeyType === 'rsa'
        ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
        : key.asymmetricKeyType === 'ec' && curve !== undefined
          ? { name: 'ECDSA', namedCurve: curve }
          : { name: 'Ed25519' };
    return await crypto.subtle.importKey(
      'pkcs8',
      key.export({ type: 'pkcs8', format: 'der' }),
      algorithm,
      false,
      ['sign'],
    );
  } catch (cause) {
    throw oauthError(
      'the stored private key is not an RSA, P-256, P-384, P-521 or Ed25519 key in PEM form',
      undefined,
      cause,
    );
  }
}

/** A stored token, from connecting or fetched by another process; null if it has expired or was rejected. */
export function keptToken(fields: SecretFields, refused: string | null, nowMs: number): Token | null {
  const value = fields['accessToken'];
  if (!value || value === refused) return null;
  const token: Token = {
    value,
    expiresAtMs: fields['accessTokenExpiresAtMs'] ? Number(fields['accessTokenExpiresAtMs']) : null,
    // Unknown for a token that an operator entered: assume long ago, to be safe.
    obtainedAtMs: Number(fields['accessTokenObtainedAtMs'] ?? 0),
  };
  return isFresh(token, nowMs) ? token : null;
}

// Storing every short-lived token would only add load.
const minStoredLifetimeMs = 120_000;

function toGrant(response: oauth.TokenEndpointResponse, fields: SecretFields, nowMs: number): TokenGrant {
  const expiresAtMs = response.expires_in === undefined ? null : nowMs + response.expires_in * 1000;
  const token: Token = { value: response.access_token, expiresAtMs, obtainedAtMs: nowMs };
  const rotated = response.refresh_token !== undefined && response.refresh_token !== fields['refreshToken'];
  const fromUser = rotated || fields['refreshToken'] !== undefined || fields['accessToken'] !== undefined;
  if (!rotated && !(fromUser && (expiresAtMs === null || expiresAtMs - nowMs > minStoredLifetimeMs))) {
    return { token, changedFields: null };
  }
  const {
    accessToken: _old,
    accessTokenExpiresAtMs: _oldEnd,
    accessTokenObtainedAtMs: _oldBegin,
    ...rest
  } = fields;
  return {
    token,
    changedFields: {
      ...rest,
      ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
      accessToken: token.value,
      accessTokenObtainedAtMs: String(nowMs),
      ...(expiresAtMs !== null && { accessTokenExpiresAtMs: String(expiresAtMs) }),
    },
  };
}

const fixes: Readonly<Record<string, string>> = {
  invalid_client:
    'the client id or client secret is wrong, or the server requires a different client authentication method',
  invalid_grant: 'the connection has expired or was revoked: an operator must connect the API again',
  unauthorized_client:
    'this client is not allowed to use this grant: change the client at the authorization server',
  unsupported_grant_type: 'the authorization server does not offer this grant: choose another',
  invalid_scope: 'the authorization server does not know or allow one of the scopes: correct the scopes',
  invalid_request:
    'the authorization server did not understand the request: check the token URL, audience and client authentication',
  invalid_target: 'the authorization server does not know the audience: correct it',
  access_denied: 'access was denied when the API was being connected: connect again and allow it',
};

/** What differs when a caller's token is exchanged. */
const exchangeFixes: typeof fixes = {
  ...fixes,
  invalid_grant: "the caller's access token has expired, was revoked, or may not be exchanged by this client",
  invalid_request:
    "the authorization server did not accept the caller's access token or the request: check the audience and the scopes",
  unsupported_grant_type: 'the authorization server does not offer token exchange (RFC 8693)',
};

function toOAuthError(error: unknown, advice = fixes): HandrailError {
  if (error instanceof HandrailError) {
    return error.code === 'login_failed'
      ? error
      : oauthError(error.message, error.details.upstreamStatus, error);
  }
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const said = error.error_description ? ` (it says: ${error.error_description.slice(0, 200)})` : '';
    const fix = advice[error.error] ?? 'the authorization server rejected the request';
    const status = error instanceof oauth.ResponseBodyError ? error.status : undefined;
    return oauthError(`${fix}. It answered ${error.error.slice(0, 60)}${said}`, status, error);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return oauthError(advice['invalid_client']!, error.status, error);
  }
  return oauthError(
    'the authorization server answered with something that is not OAuth 2.0: check the token URL or issuer',
    undefined,
    error,
  );
}

function oauthError(why: string, status?: number, cause?: unknown): HandrailError {
  return credentialErrors.oauthFailed(
    { reason: why },
    status === undefined ? {} : { upstreamStatus: status },
    { cause },
  );
}
