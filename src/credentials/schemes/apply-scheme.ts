import type { AuthScheme } from '../../domain/auth-scheme.ts';
import type { ClientTls, Placement } from '../../pipeline/request/signed-request.ts';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';
import type { SecretFields } from '../seal.ts';
import { awsSignature } from './aws-sigv4.ts';
import { hmacSignature } from './hmac-signature.ts';

/** Headers that are computed over the finished request. */
export type Signature = (request: RequestPlan) => Readonly<Record<string, string>>;

/** What a scheme adds to each request. */
export interface SchemeEffect {
  readonly placements?: readonly Placement[];
  readonly signature?: Signature;
  readonly tls?: ClientTls;
}

/** Computes what a single scheme adds, from its secret or the token fetched with it. The clock is for signatures. */
export function applyScheme(
  scheme: AuthScheme,
  fields: SecretFields,
  token: string,
  now: () => number,
): SchemeEffect {
  switch (scheme.kind) {
    case 'none':
    // The parts of `all` are applied one by one.
    case 'all':
      return {};
    case 'api-key':
      return placed(scheme, fields['value'] ?? '');
    case 'bearer':
      return authorization(`Bearer ${fields['token'] ?? ''}`);
    case 'basic': {
      const pair = `${fields['username'] ?? ''}:${fields['password'] ?? ''}`;
      return authorization(`Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
    }
    case 'headers':
      return {
        placements: scheme.names.map((name) => ({
          in: 'header',
          name: name.toLowerCase(),
          value: fields[name] ?? '',
        })),
      };
    case 'login':
      return placed(scheme.place, token);
    case 'oauth2':
      return authorization(`Bearer ${token}`);
    case 'aws-sigv4':
      return { signature: (request) => awsSignature(scheme, fields, request, now()) };
    case 'hmac':
      return { signature: (request) => hmacSignature(scheme, fields, request, now()) };
    case 'mutual-tls':
      return {
        tls: {
          certificatePem: fields['certificatePem'],
          privateKeyPem: fields['privateKeyPem'],
          ...(fields['passphrase'] && { passphrase: fields['passphrase'] }),
          ...(fields['caPem'] && { caPem: fields['caPem'] }),
        },
      };
  }
}

function placed(place: Omit<Placement, 'value'> & { readonly prefix?: string }, value: string): SchemeEffect {
  return { placements: [{ in: place.in, name: place.name, value: `${place.prefix ?? ''}${value}` }] };
}

function authorization(value: string): SchemeEffect {
  return { placements: [{ in: 'header', name: 'authorization', value }] };
}
