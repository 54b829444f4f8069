import type { AuthScheme } from '../domain/auth-scheme.ts';
import type { ClientTls, OpenCredential, Placement, RequestPlan } from '../pipeline/types.ts';
import { awsSignature } from './aws-sigv4.ts';
import { hmacSignature } from './hmac-signature.ts';
import type { SecretFields } from './seal.ts';

/** The tokens that were fetched for a scheme, by the scheme's place in it (`''`, or `0`, `1` … within `all`). */
export type FetchedTokens = Readonly<Record<string, string>>;

/** Makes a credential ready to be placed into requests. Pure but for the clock that signatures need. */
export function openCredential(
  scheme: AuthScheme,
  fields: SecretFields,
  tokens: FetchedTokens,
  identity: string,
  now: () => number,
): OpenCredential {
  const placements: Placement[] = [];
  const signatures: ((request: RequestPlan) => Readonly<Record<string, string>>)[] = [];
  let tls: ClientTls | undefined;

  const place = (part: AuthScheme, own: SecretFields, token: string | undefined): void => {
    switch (part.kind) {
      case 'none':
      case 'all':
        return;
      case 'api-key':
        placements.push({ in: part.in, name: part.name, value: `${part.prefix ?? ''}${own['value'] ?? ''}` });
        return;
      case 'bearer':
        placements.push({ in: 'header', name: 'authorization', value: `Bearer ${own['token'] ?? ''}` });
        return;
      case 'basic': {
        const pair = Buffer.from(`${own['username'] ?? ''}:${own['password'] ?? ''}`, 'utf8').toString(
          'base64',
        );
        placements.push({ in: 'header', name: 'authorization', value: `Basic ${pair}` });
        return;
      }
      case 'headers':
        for (const name of part.names)
          placements.push({ in: 'header', name: name.toLowerCase(), value: own[name] ?? '' });
        return;
      case 'login':
        placements.push({
          in: part.place.in,
          name: part.place.name,
          value: `${part.place.prefix ?? ''}${token ?? ''}`,
        });
        return;
      case 'oauth2':
        placements.push({ in: 'header', name: 'authorization', value: `Bearer ${token ?? ''}` });
        return;
      case 'aws-sigv4':
        signatures.push((request) => awsSignature(part, own, request, now()));
        return;
      case 'hmac':
        signatures.push((request) => hmacSignature(part, own, request, now()));
        return;
      case 'mutual-tls':
        tls = {
          certificatePem: own['certificatePem'],
          privateKeyPem: own['privateKeyPem'],
          ...(own['passphrase'] && { passphrase: own['passphrase'] }),
          ...(own['caPem'] && { caPem: own['caPem'] }),
        };
    }
  };

  for (const [key, part] of partsOf(scheme)) place(part, fieldsOf(fields, key), tokens[key]);
  return {
    placements,
    identity,
    secrets: secretValues(fields, tokens),
    ...(tls && { tls }),
    ...(signatures.length > 0 && {
      signature: (request: RequestPlan) =>
        signatures.reduce<Record<string, string>>(
          (headers, signature) => ({
            ...headers,
            ...signature({ ...request, headers: { ...request.headers, ...headers } }),
          }),
          {},
        ),
    }),
  };
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

// What identifies without opening anything may be seen.
const openFields =
  /(?:^|\.)(?:username|clientId|keyId|accessKeyId|accessTokenExpiresAtMs|certificatePem|caPem)$/;

/** The values that must never be shown. */
export function secretValues(fields: SecretFields, tokens: FetchedTokens = {}): readonly string[] {
  const values = Object.values(tokens);
  for (const [name, value] of Object.entries(fields)) {
    if (openFields.test(name)) continue;
    values.push(value);
    // A key is quoted line by line as often as whole.
    if (value.includes('\n'))
      values.push(...value.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----')));
  }
  return values;
}
