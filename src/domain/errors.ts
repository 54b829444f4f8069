import { keysOf } from '../lib/json/plain-object.ts';

/** Who can fix it: the caller with a different request, the operator's configuration, the upstream API, or us. */
export type Fault = 'caller' | 'configuration' | 'upstream' | 'handrail';

/** Whether the same request can succeed if sent again. */
export type Retry = 'never' | 'later' | 'after-change';

interface CatalogEntry {
  readonly status: number;
  readonly fault: Fault;
  readonly retry: Retry;
  readonly title: string;
}

/**
 * Every way a request to Handrail can fail. A closed list: each surface translates from here, and
 * docs/reference/errors.md lists exactly these (a test compares the two).
 */
export const errorCatalog = {
  // asking
  invalid_request: {
    status: 400,
    fault: 'caller',
    retry: 'after-change',
    title: 'The request is not well-formed',
  },
  invalid_arguments: {
    status: 400,
    fault: 'caller',
    retry: 'after-change',
    title: 'The arguments do not fit the tool',
  },
  unsafe_value: {
    status: 400,
    fault: 'caller',
    retry: 'after-change',
    title: 'A value cannot be sent where it belongs',
  },
  argument_blocked: {
    status: 400,
    fault: 'caller',
    retry: 'after-change',
    title: 'An argument contains a secret or personal data',
  },
  unknown_tool: { status: 404, fault: 'caller', retry: 'after-change', title: 'There is no such tool' },
  unauthenticated: {
    status: 401,
    fault: 'caller',
    retry: 'after-change',
    title: 'Credentials are missing or wrong',
  },
  forbidden: { status: 403, fault: 'caller', retry: 'never', title: 'Not allowed' },
  not_found: { status: 404, fault: 'caller', retry: 'after-change', title: 'Not found' },
  method_not_allowed: { status: 405, fault: 'caller', retry: 'after-change', title: 'Method not allowed' },
  payload_too_large: {
    status: 413,
    fault: 'caller',
    retry: 'after-change',
    title: 'The request is too large',
  },
  unsupported_media_type: {
    status: 415,
    fault: 'caller',
    retry: 'after-change',
    title: 'Content type not supported',
  },
  rate_limited: { status: 429, fault: 'caller', retry: 'later', title: 'Too many calls' },
  script_failed: { status: 422, fault: 'caller', retry: 'after-change', title: 'The script failed' },
  script_limit: {
    status: 422,
    fault: 'caller',
    retry: 'after-change',
    title: 'The script exceeded its limits',
  },
  script_interrupted: {
    status: 500,
    fault: 'handrail',
    retry: 'never',
    title: 'The gateway stopped while the script was running',
  },
  cancelled: { status: 499, fault: 'caller', retry: 'later', title: 'The caller disconnected' },
  // managing the registry
  invalid_input: { status: 422, fault: 'caller', retry: 'after-change', title: 'The input is not valid' },
  conflict: { status: 409, fault: 'caller', retry: 'after-change', title: 'It conflicts with existing data' },
  stale: { status: 412, fault: 'caller', retry: 'after-change', title: 'It was changed in the meantime' },
  import_unreadable: {
    status: 422,
    fault: 'caller',
    retry: 'after-change',
    title: 'The document cannot be read',
  },
  // calling out
  account_needed: {
    status: 403,
    fault: 'caller',
    retry: 'after-change',
    title: 'The person must connect an account of their own first',
  },
  credential_missing: {
    status: 502,
    fault: 'configuration',
    retry: 'after-change',
    title: 'No credential is stored',
  },
  credential_unreadable: {
    status: 502,
    fault: 'configuration',
    retry: 'after-change',
    title: 'A stored secret cannot be decrypted',
  },
  login_failed: {
    status: 502,
    fault: 'configuration',
    retry: 'after-change',
    title: 'Signing in upstream failed',
  },
  egress_refused: {
    status: 502,
    fault: 'configuration',
    retry: 'after-change',
    title: 'The address is not allowed',
  },
  upstream_unreachable: {
    status: 502,
    fault: 'upstream',
    retry: 'later',
    title: 'The upstream cannot be reached',
  },
  upstream_timeout: { status: 504, fault: 'upstream', retry: 'later', title: 'The upstream took too long' },
  upstream_status: {
    status: 502,
    fault: 'upstream',
    retry: 'after-change',
    title: 'The upstream answered with an error',
  },
  upstream_redirect: {
    status: 502,
    fault: 'configuration',
    retry: 'after-change',
    title: 'The upstream answered with a redirect',
  },
  reply_too_large: { status: 502, fault: 'upstream', retry: 'after-change', title: 'The reply is too large' },
  reply_invalid: { status: 502, fault: 'upstream', retry: 'later', title: 'The reply cannot be read' },
  circuit_open: { status: 503, fault: 'upstream', retry: 'later', title: 'The upstream is failing' },
  loop_detected: {
    status: 508,
    fault: 'configuration',
    retry: 'never',
    title: 'A tool called the endpoint it was called through',
  },
  overloaded: { status: 503, fault: 'handrail', retry: 'later', title: 'Too many calls at once' },
  // ourselves
  config_invalid: {
    status: 500,
    fault: 'configuration',
    retry: 'after-change',
    title: 'The configuration is invalid',
  },
  store_unreadable: {
    status: 500,
    fault: 'configuration',
    retry: 'after-change',
    title: 'The store cannot be read',
  },
  store_newer: {
    status: 500,
    fault: 'configuration',
    retry: 'after-change',
    title: 'The store is from a newer version',
  },
  unavailable: { status: 503, fault: 'handrail', retry: 'later', title: 'Not ready' },
  internal: { status: 500, fault: 'handrail', retry: 'later', title: 'Something went wrong inside Handrail' },
} as const satisfies Record<string, CatalogEntry>;

export type ErrorCode = keyof typeof errorCatalog;

/** Details of an error in addition to its message; everything here may be shown to the caller. */
export interface ErrorDetails {
  /** Where in the input, one entry per problem. */
  readonly problems?: readonly Problem[];
  /** When a retry makes sense, in milliseconds from now. */
  readonly retryAfterMs?: number;
  /** Whether the same request can succeed, if more is known than the code says. */
  readonly retry?: Retry;
  /** The upstream's HTTP status, if it answered. */
  readonly upstreamStatus?: number;
  /** The request was never sent, so sending it again cannot repeat an effect. */
  readonly notSent?: true;
  /** The value of the WWW-Authenticate header, for `unauthenticated` and `forbidden`. */
  readonly challenge?: string;
  /** Where the person connects their own account, for `account_needed`. */
  readonly connect?: { readonly api: string; readonly url: string; readonly id: string };
  /** The current state, for `conflict` and `stale`. */
  readonly current?: unknown;
}

/** One problem in an input: a JSON Pointer to the place and what is wrong there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly keyword?: string;
}

/** Handrail's only error class. Its message is written for the person or model who reads it. */
export class HandrailError extends Error {
  override readonly name = 'HandrailError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorCatalog[this.code].status;
  }

  get fault(): Fault {
    return errorCatalog[this.code].fault;
  }

  get retry(): Retry {
    return this.details.retry ?? errorCatalog[this.code].retry;
  }
}

/** Defines an error in the catalog (`src/domain/error-messages/`) with a fixed message. */
export function template(
  code: ErrorCode,
  message: string,
): (details?: ErrorDetails, options?: ErrorOptions) => HandrailError;
/** The same for a message with values in it. */
export function template<Values>(
  code: ErrorCode,
  message: (values: Values) => string,
): (values: Values, details?: ErrorDetails, options?: ErrorOptions) => HandrailError;
export function template<Values>(code: ErrorCode, message: string | ((values: Values) => string)) {
  if (typeof message === 'string')
    return (details?: ErrorDetails, options?: ErrorOptions) =>
      new HandrailError(code, message, details, options);
  return (values: Values, details?: ErrorDetails, options?: ErrorOptions) =>
    new HandrailError(code, message(values), details, options);
}

/** Converts anything thrown to a HandrailError; unexpected errors become `internal`, with the original only as cause. */
export function toHandrailError(thrown: unknown): HandrailError {
  if (thrown instanceof HandrailError) return thrown;
  return new HandrailError(
    'internal',
    'Something went wrong inside Handrail. Its log has the details.',
    {},
    { cause: thrown },
  );
}

/** The errors page of the reference, generated from the catalog. */
export function errorReference(): string {
  const rows = keysOf(errorCatalog).map((code) => {
    const { status, fault, retry, title } = errorCatalog[code];
    return `| \`${code}\` | ${status} | ${fault} | ${retry} | ${title} |`;
  });
  return [
    '# Errors',
    '',
    'Every failure has one of these codes. The admin API answers with problem details (RFC 9457) that carry it as `code`; MCP answers a',
    'failed call with a result whose `isError` is true; HandsAI’s REST surface maps them to JSON-RPC codes; call records keep it as their',
    'outcome. *Fault* says who can fix it, *retry* whether the same request can succeed: `never`, `later` unchanged, or `after-change`.',
    '',
    '| code | HTTP status | fault | retry | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
