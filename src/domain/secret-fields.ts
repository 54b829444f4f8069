import type { AuthScheme, SecretPlace } from './auth-scheme.ts';

/** The secret fields that a credential for this scheme must have. */
export function secretFields(scheme: AuthScheme): readonly string[] {
  switch (scheme.kind) {
    case 'none':
      return [];
    case 'api-key':
      return ['value'];
    case 'bearer':
      return ['token'];
    case 'basic':
      return ['username', 'password'];
    case 'headers':
      return scheme.names;
    case 'login':
      return scheme.payloadFields;
    case 'oauth2': {
      const client =
        scheme.clientAuth === 'none'
          ? []
          : scheme.clientAuth === 'private_key_jwt'
            ? ['privateKeyPem']
            : ['clientSecret'];
      return ['clientId', ...client, ...(scheme.grant === 'refresh_token' ? ['refreshToken'] : [])];
    }
    case 'aws-sigv4':
      return ['accessKeyId', 'secretAccessKey'];
    case 'hmac':
      return ['secret'];
    case 'mutual-tls':
      return ['certificatePem', 'privateKeyPem'];
    case 'all':
      return scheme.schemes.flatMap((inner, i) => secretFields(inner).map((field) => `${i}.${field}`));
  }
}

/** Additional fields that a credential for this scheme may have. */
export function optionalSecretFields(scheme: AuthScheme): readonly string[] {
  switch (scheme.kind) {
    case 'oauth2':
      // Handrail itself adds the tokens it receives: an operator connects once, and a restart must not lose that.
      return scheme.grant === 'client_credentials' || scheme.grant === 'token_exchange'
        ? ['keyId']
        : [
            'keyId',
            'accessToken',
            'accessTokenExpiresAtMs',
            ...(scheme.grant === 'authorization_code' ? ['refreshToken'] : []),
          ];
    case 'aws-sigv4':
      return ['sessionToken'];
    case 'hmac':
      return ['keyId'];
    case 'mutual-tls':
      return ['passphrase', 'caPem'];
    case 'all':
      return scheme.schemes.flatMap((inner, i) =>
        optionalSecretFields(inner).map((field) => `${i}.${field}`),
      );
    default:
      return [];
  }
}

/** The places of a request that a credential for this scheme sets, including signatures and their headers. */
export function secretPlaces(scheme: AuthScheme): readonly Pick<SecretPlace, 'in' | 'name'>[] {
  const headers = (...names: readonly (string | undefined)[]) =>
    names.flatMap((name) => (name === undefined ? [] : [{ in: 'header' as const, name }]));
  switch (scheme.kind) {
    case 'none':
    case 'mutual-tls':
      return [];
    case 'api-key':
      return [scheme];
    case 'bearer':
    case 'basic':
    case 'oauth2':
      return headers('authorization');
    case 'headers':
      return headers(...scheme.names);
    case 'login':
      return [scheme.place];
    case 'aws-sigv4':
      return headers('authorization', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token');
    case 'hmac':
      return [scheme.place, ...headers(scheme.timestampHeader, scheme.nonceHeader, scheme.keyIdHeader)];
    case 'all':
      return scheme.schemes.flatMap(secretPlaces);
  }
}

/** The origins, other than the API's own, that a credential for this scheme is sent to. */
export function authOrigins(scheme: AuthScheme): readonly string[] {
  const urls: (string | undefined)[] =
    scheme.kind === 'login' ? [scheme.url] : scheme.kind === 'oauth2' ? [scheme.issuer, scheme.tokenUrl] : [];
  if (scheme.kind === 'all') return [...new Set(scheme.schemes.flatMap((inner) => authOrigins(inner)))];
  return [
    ...new Set(
      urls.filter((url) => url !== undefined && URL.canParse(url)).map((url) => new URL(url!).origin),
    ),
  ];
}

/** The prefix of a sealed value within a row. */
export const sealedPrefix = 'handrail-sealed:';

/** Whether a value is sealed. In memory that means it could not be opened; it must not be sent. */
export function isSealedText(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(sealedPrefix);
}
