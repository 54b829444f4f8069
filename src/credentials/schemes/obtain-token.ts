import type { AuthScheme, LoginScheme, OAuth2Scheme } from '../../domain/auth-scheme.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import type { SecretFields } from '../seal.ts';
import { fetchLoginToken, rejectsToken } from './login-token.ts';
import type { OAuthClient, TokenGrant } from './oauth2.ts';

/** A scheme whose secret is exchanged for a token before a call. */
export type TokenScheme = LoginScheme | OAuth2Scheme;

export function needsToken(scheme: AuthScheme): scheme is TokenScheme {
  return scheme.kind === 'login' || scheme.kind === 'oauth2';
}

/** Exchanges a secret for a token. `refused` is a token that the API rejected. */
export async function obtainToken(
  scheme: TokenScheme,
  fields: SecretFields,
  refused: string | null,
  by: {
    readonly fetch: FetchGuarded;
    readonly oauth: OAuthClient;
    readonly egressAllow: readonly string[] | undefined;
    readonly now: () => number;
  },
): Promise<TokenGrant> {
  if (scheme.kind === 'oauth2') return by.oauth.obtain(scheme, fields, by.egressAllow, refused);
  const token = await fetchLoginToken(by.fetch, scheme, fields, by.egressAllow, by.now);
  return { token, changedFields: null };
}

/** Whether a reply means that the token is no longer valid. */
export function isTokenRefused(scheme: TokenScheme, reply: Reply): boolean {
  return scheme.kind === 'login' ? rejectsToken(scheme, reply) : reply.status === 401;
}
