/** Where one secret value travels in an outgoing request. */
export interface SecretPlace {
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  /** Header, query parameter, cookie or top-level body field. */
  readonly name: string;
  /** Written before the value, such as `Bearer `. */
  readonly prefix?: string;
}

/** A token fetched by a request of our own before the call (HandsAI's dynamic authentication). */
export interface LoginScheme {
  readonly kind: 'login';
  readonly method: string;
  readonly url: string;
  readonly payloadIn: 'json' | 'form' | 'query' | 'headers';
  /** Names of the payload's fields; their values are the credential's secret fields of the same name. */
  readonly payloadFields: readonly string[];
  /** Dotted path or JSON Pointer to the token in the reply; absent takes the reply's text. */
  readonly tokenPath?: string;
  readonly place: SecretPlace;
  /** Used when the reply does not say how long the token lives. */
  readonly ttlMs?: number;
  /** A reply that contains one of these means the token is no longer good. */
  readonly invalidationKeywords?: readonly string[];
}

export interface OAuth2Scheme {
  readonly kind: 'oauth2';
  readonly grant: 'client_credentials' | 'refresh_token' | 'authorization_code';
  /** Discovery from the issuer, or the addresses themselves. */
  readonly issuer?: string;
  readonly tokenUrl?: string;
  readonly authorizationUrl?: string;
  readonly scopes?: readonly string[];
  readonly audience?: string;
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';
}

export interface AwsScheme {
  readonly kind: 'aws-sigv4';
  readonly region: string;
  readonly service: string;
}

/**
 * Declarative request signing. `parts` are joined by `separator` and signed; each is one of `method`, `path`, `query`,
 * `target` (path with query), `host`, `body`, `body-sha256` (hexadecimal), `timestamp`, `nonce`, `key-id`,
 * `header:NAME` and `text:LITERAL`.
 */
export interface HmacScheme {
  readonly kind: 'hmac';
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64' | 'base64url';
  readonly parts: readonly string[];
  readonly separator: string;
  readonly place: SecretPlace;
  readonly timestampHeader?: string;
  readonly timestampFormat?: 'seconds' | 'milliseconds' | 'rfc3339';
  readonly nonceHeader?: string;
  /** Carries the credential's `keyId`. */
  readonly keyIdHeader?: string;
}

/** How an API wants to be authenticated; holds no secret. The secret itself is a Credential. */
export type AuthScheme =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'api-key' } & SecretPlace)
  | { readonly kind: 'bearer' }
  | { readonly kind: 'basic' }
  | { readonly kind: 'headers'; readonly names: readonly string[] }
  | LoginScheme
  | OAuth2Scheme
  | AwsScheme
  | HmacScheme
  | { readonly kind: 'mutual-tls' }
  /** Several at once; a credential's fields are prefixed `0.`, `1.` … by position. */
  | { readonly kind: 'all'; readonly schemes: readonly AuthScheme[] };

/** The secret fields a credential for this scheme must hold. */
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

/** Further fields a credential for this scheme may hold. */
export function optionalSecretFields(scheme: AuthScheme): readonly string[] {
  switch (scheme.kind) {
    case 'oauth2':
      // Handrail itself adds the tokens it is given: an operator connects once, and a restart must not lose that.
      return scheme.grant === 'client_credentials'
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

/** The origins besides the API's own that a credential for this scheme is sent to. */
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
