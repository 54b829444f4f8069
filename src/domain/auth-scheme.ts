import {
  choice,
  described,
  type Infer,
  integer,
  list,
  object,
  optional,
  type Rule,
  text,
  variants,
  withRule,
} from '../lib/schema/schema.ts';
import { baseUrlText } from './fields/addresses.ts';
import { headerValue, isSettableHeader, settableHeaderName } from './fields/header-names.ts';
import { httpMethods } from './operation.ts';
import { keysOf } from '../lib/json/plain-object.ts';

const fieldName = text({ min: 1, max: 200 });

const placeFields = {
  in: choice('header', 'query', 'cookie', 'body'),
  /** Header, query parameter, cookie or top-level body field. */
  name: text({ min: 1, max: 200 }),
  /** Written before the value, such as `Bearer `. */
  prefix: optional(headerValue),
};

const secretPlace = object(placeFields);

/** Where a secret value goes in an outgoing request. */
export type SecretPlace = Infer<typeof secretPlace>;

// RFC 6265 section 4.1.1.
const cookieName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What is wrong with the name of a place; null if nothing. */
function placeFault({ in: place, name }: SecretPlace): string | null {
  if (place === 'header' && !isSettableHeader(name))
    return `${JSON.stringify(name.slice(0, 60))} is not the name of a header that may be set`;
  if (place === 'cookie' && !cookieName.test(name)) return 'is not the name of a cookie';
  return null;
}

// `parts` are joined by `separator` and signed. `target` is the path with the query, `body-sha256` is hexadecimal.
const hmacPart = text({
  min: 1,
  max: 1_000,
  pattern:
    /^(?:method|path|query|target|host|body|body-sha256|timestamp|nonce|key-id|header:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|text:[\s\S]*)$/,
  wants:
    'is not a part that can be signed: use method, path, query, target, host, body, body-sha256, timestamp, nonce, key-id, header:NAME or text:LITERAL',
});

const simpleSchemes = {
  none: {},
  'api-key': placeFields,
  bearer: {},
  basic: {},
  headers: { names: list(settableHeaderName, { min: 1, max: 50 }) },
  /** A token that we fetch with a separate request before the call (HandsAI's dynamic authentication). */
  login: {
    method: choice(...(httpMethods as readonly string[])),
    url: baseUrlText,
    payloadIn: choice('json', 'form', 'query', 'headers'),
    /** Names of the payload's fields; their values are the credential's secret fields of the same name. */
    payloadFields: list(fieldName, { max: 100 }),
    /** Dotted path or JSON Pointer to the token in the reply; if absent, the reply's text is the token. */
    tokenPath: optional(text({ max: 1_000 })),
    place: secretPlace,
    /** Used if the reply does not say when the token expires. */
    ttlMs: optional(integer({ min: 0 })),
    /** A reply that contains one of these means that the token is no longer valid. */
    invalidationKeywords: optional(list(text({ min: 1, max: 1_000 }), { max: 100 })),
  },
  oauth2: {
    /** `token_exchange` (RFC 8693) exchanges the access token of each caller. */
    grant: choice('client_credentials', 'refresh_token', 'authorization_code', 'token_exchange'),
    /** For discovery; or the URLs themselves. */
    issuer: optional(baseUrlText),
    tokenUrl: optional(baseUrlText),
    authorizationUrl: optional(baseUrlText),
    scopes: optional(list(text({ max: 1_000 }), { max: 1_000 })),
    audience: optional(text({ max: 4_000 })),
    clientAuth: optional(choice('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')),
  },
  'aws-sigv4': { region: text({ min: 1, max: 200 }), service: text({ min: 1, max: 200 }) },
  /** Declarative request signing. */
  hmac: {
    algorithm: choice('sha1', 'sha256', 'sha512'),
    encoding: choice('hex', 'base64', 'base64url'),
    parts: list(hmacPart, { min: 1, max: 100 }),
    separator: text({ max: 100 }),
    place: secretPlace,
    timestampHeader: optional(settableHeaderName),
    timestampFormat: optional(choice('seconds', 'milliseconds', 'rfc3339')),
    nonceHeader: optional(settableHeaderName),
    /** Carries the credential's `keyId`. */
    keyIdHeader: optional(settableHeaderName),
  },
  'mutual-tls': {},
} as const;

const simpleForms = variants('kind', simpleSchemes);

/** A single scheme, used alone or combined with others. */
export type SimpleScheme = Infer<typeof simpleForms>;

/** Rules that involve several fields of a scheme. */
const fitsTogether: Rule<SimpleScheme> = (scheme, report) => {
  switch (scheme.kind) {
    case 'api-key': {
      const fault = placeFault(scheme);
      if (fault !== null) report('/name', fault);
      return;
    }
    case 'login': {
      const fault = placeFault(scheme.place);
      if (fault !== null) report('/place/name', fault);
      return;
    }
    case 'oauth2':
      if (scheme.issuer === undefined && scheme.tokenUrl === undefined)
        report('', 'needs an issuer or a token URL');
      return;
    case 'hmac': {
      if (scheme.place.in !== 'header')
        return report('/place/in', 'must be "header": a signature is sent in a header');
      const fault = placeFault(scheme.place);
      if (fault !== null) report('/place/name', fault);
      return;
    }
    default:
  }
};

/** The same for a part of several: a caller's token is exchanged only on its own. */
const fitsInAll: Rule<SimpleScheme> = (scheme, report) => {
  if (scheme.kind === 'oauth2' && scheme.grant === 'token_exchange')
    report('/grant', 'cannot be token_exchange in a combination');
  fitsTogether(scheme, report);
};

export type LoginScheme = Extract<SimpleScheme, { kind: 'login' }>;
export type OAuth2Scheme = Extract<SimpleScheme, { kind: 'oauth2' }>;
export type AwsScheme = Extract<SimpleScheme, { kind: 'aws-sigv4' }>;
export type HmacScheme = Extract<SimpleScheme, { kind: 'hmac' }>;

const anyForms = variants('kind', {
  ...simpleSchemes,
  /** Several combined; a credential's fields are prefixed `0.`, `1.` … by position. */
  all: { schemes: list(withRule(simpleForms, fitsInAll), { min: 2, max: 50 }) },
});

/** How calls to an API authenticate, without the secret. The secret itself is a Credential. */
export const authScheme = described(
  withRule(anyForms, (scheme, report) => {
    if (scheme.kind !== 'all') fitsTogether(scheme, report);
  }),
  'How calls to the API authenticate; the secret itself is a credential.',
);

export type AuthScheme = Infer<typeof authScheme>;

/** All kinds of authentication. */
export const authKinds: readonly AuthScheme['kind'][] = [...keysOf(simpleSchemes), 'all'];

/** Whether its secret can be each person's own. */
export function canBeOwn(scheme: AuthScheme): boolean {
  switch (scheme.kind) {
    case 'none':
      return false;
    case 'oauth2':
      return scheme.grant === 'authorization_code';
    case 'all':
      return scheme.schemes.every((part) => part.kind !== 'oauth2' && part.kind !== 'none');
    default:
      return true;
  }
}

/** Whether each caller's own access token is exchanged for one of the API. */
export function exchangesTokens(scheme: AuthScheme): scheme is OAuth2Scheme {
  return scheme.kind === 'oauth2' && scheme.grant === 'token_exchange';
}
