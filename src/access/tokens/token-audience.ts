import { accessErrors } from '../../domain/error-messages/access.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { OAuthPolicy } from '../../domain/server.ts';

/** The client secret for token introspection; throws if there is none that can be read. */
export type ClientSecretOf = (policy: OAuthPolicy) => string | Promise<string>;

/** What a client needs to know to get a token for a server. */
export interface Challenge {
  readonly policy: Pick<OAuthPolicy, 'scopes'>;
  /** URL of this server's RFC 9728 metadata. */
  readonly metadataUrl: string;
}

/** What a token must match. */
export interface TokenAudience extends Challenge {
  readonly policy: OAuthPolicy;
  /** Identifiers of the server: its full URLs, or those set by its operator. The token must be issued for one of them. */
  readonly resources: readonly string[];
}

/** The error for a request without a valid token, with a challenge that says where to get one (RFC 9728 section 5.1). */
export function tokenNeededError(audience: Challenge, why?: string): HandrailError {
  const challenge = [
    `Bearer resource_metadata="${audience.metadataUrl}"`,
    ...(audience.policy.scopes?.length ? [`scope="${audience.policy.scopes.join(' ')}"`] : []),
    ...(why === undefined ? [] : [`error="invalid_token", error_description="${why}"`]),
  ].join(', ');
  return why === undefined
    ? accessErrors.tokenNeeded({ challenge })
    : accessErrors.tokenRejected({ why }, { challenge });
}

/** The error for a token without the required scopes. */
export function scopeMissingError(audience: Challenge, scopes: readonly string[]): HandrailError {
  const wanted = [...new Set(scopes)].join(' ');
  const challenge = `Bearer error="insufficient_scope", scope="${wanted}", resource_metadata="${audience.metadataUrl}"`;
  return accessErrors.scopeMissing({ scopes: wanted }, { challenge });
}
