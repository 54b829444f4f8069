import { claimText, maxClaims } from '../../domain/person.ts';
import { arrayOr, objectOr } from '../../lib/json/plain-object.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { fits } from '../../lib/schema/problems.ts';
import type { Caller } from '../../domain/call.ts';
import { hashSecret } from '../secrets.ts';
import type { OAuthPolicy } from '../../domain/server.ts';
import { scopeMissingError, type TokenAudience } from './token-audience.ts';

/** Finds the caller of a token, or rejects it. */
export type VerifyToken = (
  token: string,
  audience: TokenAudience,
) => Promise<{ readonly caller: Caller; readonly expiresAtMs: number }>;

type Claims = Readonly<Record<string, unknown>>;

/** The caller of a valid token; throws if its scopes grant nothing here. */
export function callerOfToken(audience: TokenAudience, claims: Claims, subject: string): Caller {
  const { policy } = audience;
  const scopes = scopesOf(claims);
  const lacking = (policy.scopes ?? []).filter((scope) => !scopes.has(scope));
  if (lacking.length > 0) throw scopeMissingError(audience, policy.scopes ?? []);
  const opened = openedBy(policy, scopes);
  if (opened !== undefined && opened.toolIds.size === 0) {
    throw scopeMissingError(audience, [...(policy.scopes ?? []), ...Object.keys(policy.toolScopes ?? {})]);
  }
  const values = groupClaimsIn(claims);
  return {
    // Hashed in full: two people whose long subjects start alike must never be the same caller.
    id: `oauth:${hashSecret(policy.issuer).slice(0, 16)}:${hashSecret(subject).slice(0, 32)}`,
    kind: 'oauth',
    label: oneLine(labelOf(claims), 200) || 'oauth',
    ...(values.length > 0 && { issuerClaims: { issuer: policy.issuer, values } }),
    ...opened,
  };
}

/** The groups and roles in a token's claims, wherever common issuers put them, within what is kept of one person. */
export function groupClaimsIn(claims: Claims, extra?: string): readonly string[] {
  const places = [claims['groups'], claims['roles'], objectOr(claims['realm_access'])['roles']];
  if (extra !== undefined) places.push(claims[extra]);
  const values = places.flatMap((place) => (typeof place === 'string' ? [place] : arrayOr(place)));
  return [
    ...new Set(
      values
        .filter((value) => fits(claimText, value))
        .map(String)
        .filter(isStorable),
    ),
  ].slice(0, maxClaims);
}

// No group has such a name, and not every store can keep it.
const isStorable = (value: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(value);

function openedBy(
  { toolScopes }: OAuthPolicy,
  scopes: ReadonlySet<string>,
): { readonly toolIds: ReadonlySet<string>; readonly toolScopes: readonly string[] } | undefined {
  if (toolScopes === undefined) return undefined;
  const held = Object.keys(toolScopes).filter((scope) => scopes.has(scope));
  return { toolIds: new Set(held.flatMap((scope) => toolScopes[scope] ?? [])), toolScopes: held };
}

function scopesOf({ scope, scp }: Claims): Set<string> {
  if (typeof scope === 'string') return new Set(scope.split(' '));
  if (Array.isArray(scp)) return new Set(scp.map(String));
  return new Set(typeof scp === 'string' ? scp.split(' ') : []);
}

function labelOf(claims: Claims): string {
  for (const claim of ['name', 'preferred_username', 'username', 'email', 'client_id', 'sub']) {
    const value = claims[claim];
    if (typeof value === 'string' && value !== '') return value;
  }
  return 'oauth';
}
