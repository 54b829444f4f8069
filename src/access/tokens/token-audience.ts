import { HandrailError } from '../../domain/errors.ts';
import type { OAuthPolicy } from '../../domain/server.ts';

/** The secret that Handrail asks an issuer about tokens with; throws when there is none that can be read. */
export type ClientSecretOf = (policy: OAuthPolicy) => string;

/** What a token must fit. */
export interface TokenAudience {
  readonly policy: OAuthPolicy;
  /** What the server is known by: its full URLs, or what its operator says. The token must be made for one of them. */
  readonly resources: readonly string[];
  /** Where RFC 9728 metadata of this server is. */
  readonly metadataUrl: string;
}

/** Refusal for a request without a (good) token; tells where to get one (RFC 9728 section 5.1). */
export function refused(audience: TokenAudience, why?: string): HandrailError {
  const challenge = [
    `Bearer resource_metadata="${audience.metadataUrl}"`,
    ...(audience.policy.scopes?.length ? [`scope="${audience.policy.scopes.join(' ')}"`] : []),
    ...(why === undefined ? [] : [`error="invalid_token", error_description="${why}"`]),
  ].join(', ');
  const message =
    why === undefined
      ? 'This server needs an OAuth access token: the WWW-Authenticate header tells where to get one.'
      : `The access token is not accepted: ${why}.`;
  return new HandrailError('unauthenticated', message, { challenge });
}

/** Refusal for a token whose scopes open nothing here. */
export function insufficient(audience: TokenAudience, scopes: readonly string[]): HandrailError {
  const wanted = [...new Set(scopes)].join(' ');
  return new HandrailError('forbidden', `The access token lacks a scope; this needs: ${wanted}.`, {
    challenge: `Bearer error="insufficient_scope", scope="${wanted}", resource_metadata="${audience.metadataUrl}"`,
  });
}
