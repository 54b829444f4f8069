import type { AuthScheme } from '../domain/auth-scheme.ts';
import type { OpenCredential } from '../pipeline/request/signed-request.ts';
import type { RequestPlan } from '../pipeline/request/request-plan.ts';
import { applyScheme, type Signature } from './schemes/apply-scheme.ts';
import type { SecretFields } from './seal.ts';

/** The tokens fetched for a scheme, by the key of the part they are for (`''`, or `0`, `1` … within `all`). */
export type FetchedTokens = Readonly<Record<string, string>>;

/** Prepares a credential for use in requests. Pure except for the clock that signatures need. */
export function openCredential(
  scheme: AuthScheme,
  fields: SecretFields,
  tokens: FetchedTokens,
  identity: string,
  now: () => number,
): OpenCredential {
  const effects = partsOf(scheme).map(([key, part]) =>
    applyScheme(part, fieldsOf(fields, key), tokens[key] ?? '', now),
  );
  const signatures = effects.flatMap(({ signature }) => signature ?? []);
  const tls = effects.findLast((effect) => effect.tls !== undefined)?.tls;
  return {
    placements: effects.flatMap(({ placements }) => placements ?? []),
    identity,
    secrets: secretValues(fields, tokens),
    ...(tls && { tls }),
    ...(signatures.length > 0 && { signature: chain(signatures) }),
  };
}

/** Each signature also covers the headers of those before it. */
function chain(signatures: readonly Signature[]): Signature {
  return (request: RequestPlan) =>
    signatures.reduce<Record<string, string>>(
      (headers, signature) => ({
        ...headers,
        ...signature({ ...request, headers: { ...request.headers, ...headers } }),
      }),
      {},
    );
}

/** The single schemes of a scheme, each with its key within the credential's fields. */
export function partsOf(scheme: AuthScheme): readonly (readonly [string, AuthScheme])[] {
  return scheme.kind === 'all' ? scheme.schemes.map((part, i) => [String(i), part] as const) : [['', scheme]];
}

/** The fields that belong to one part of a scheme. */
export function fieldsOf(fields: SecretFields, key: string): SecretFields {
  if (key === '') return fields;
  const own: Record<string, string> = {};
  for (const name in fields) if (name.startsWith(`${key}.`)) own[name.slice(key.length + 1)] = fields[name]!;
  return own;
}

// Identifiers that grant no access may be shown.
const publicFields =
  /(?:^|\.)(?:username|clientId|keyId|accessKeyId|accessTokenExpiresAtMs|accessTokenObtainedAtMs|certificatePem|caPem)$/;

/** The values that must never be shown. */
export function secretValues(fields: SecretFields, tokens: FetchedTokens = {}): readonly string[] {
  const values = Object.values(tokens);
  for (const [name, value] of Object.entries(fields)) {
    if (publicFields.test(name)) continue;
    values.push(value);
    // A key may be quoted line by line instead of whole.
    if (value.includes('\n'))
      values.push(...value.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----')));
  }
  return values;
}
