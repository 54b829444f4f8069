import type { Api } from '../../../api/resources.ts';

export type Auth = Api['auth'];
export type Kind = Auth['kind'];
/** A scheme that is not several at once. */
export type Scheme = Exclude<Auth, { kind: 'all' }>;

/** What a scheme of each kind begins as. */
export const beginnings: { readonly [K in Kind]: Extract<Auth, { kind: K }> } = {
  none: { kind: 'none' },
  'api-key': { kind: 'api-key', in: 'header', name: 'X-API-Key' },
  bearer: { kind: 'bearer' },
  basic: { kind: 'basic' },
  headers: { kind: 'headers', names: ['X-API-Key'] },
  login: {
    kind: 'login',
    method: 'POST',
    url: '',
    payloadIn: 'json',
    payloadFields: ['username', 'password'],
    tokenPath: 'access_token',
    place: { in: 'header', name: 'Authorization', prefix: 'Bearer ' },
  },
  oauth2: { kind: 'oauth2', grant: 'client_credentials', tokenUrl: '', scopes: [] },
  'aws-sigv4': { kind: 'aws-sigv4', region: 'us-east-1', service: 'execute-api' },
  hmac: {
    kind: 'hmac',
    algorithm: 'sha256',
    encoding: 'hex',
    parts: ['method', 'path', 'body'],
    separator: '\n',
    place: { in: 'header', name: 'X-Signature' },
  },
  'mutual-tls': { kind: 'mutual-tls' },
  all: { kind: 'all', schemes: [{ kind: 'bearer' }, { kind: 'api-key', in: 'header', name: 'X-API-Key' }] },
};

/** The same scheme with an optional field set, or left out when it is empty. */
export function withOptional<S extends object, F extends keyof S>(
  scheme: S,
  field: F,
  value: S[F] | '' | undefined,
): S {
  const { [field]: _before, ...rest } = scheme;
  return (value === '' || value === undefined ? rest : { ...rest, [field]: value }) as S;
}
