import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import { type ErrorDetails, HandrailError } from '../domain/errors.ts';
import { errorCode } from '../lib/thrown-errors.ts';

// Problems that last until someone changes the address, a certificate or the trusted CAs.
const lastingHints: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name is unknown; the operator should check the base URL',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; the operator can store its CA with the credential',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is signed by an unknown CA; the operator can store that CA with the credential',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate chain is not complete or its CA is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown CA',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

const transientHints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  EAI_AGAIN: 'its host name could not be resolved right now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  EADDRNOTAVAIL: 'there is no route to it',
};

/**
 * Describes why a request failed below HTTP. Only `origin` is shown of the request. `sent` says whether sending had
 * started.
 */
export function sendError(thrown: unknown, origin: string, sent: boolean): HandrailError {
  if (thrown instanceof HandrailError) return thrown;
  const error: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  if (error instanceof HandrailError) return error;
  const code = errorCode(error) ?? '';
  const cause = { cause: thrown };
  const sending: ErrorDetails = sent ? {} : { notSent: true };
  const lasting: ErrorDetails = { ...sending, retry: 'after-change' };

  const wrong = lastingHints[code];
  if (wrong !== undefined) return upstreamErrors.unreachable({ origin, reason: wrong }, lasting, cause);
  if (/^(?:CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/.test(code)) {
    const reason = `its certificate is not trusted (${code})`;
    return upstreamErrors.unreachable({ origin, reason }, lasting, cause);
  }
  const hint = transientHints[code];
  if (hint !== undefined) return upstreamErrors.unreachable({ origin, reason: hint }, sending, cause);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return upstreamErrors.noConnectionInTime({ origin }, sending, cause);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return upstreamErrors.noAnswerInTime({ origin }, {}, cause);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return upstreamErrors.headersTooLarge({ origin }, {}, cause);
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || code.startsWith('HPE_'))
    return upstreamErrors.notHttp({ origin }, {}, cause);
  if (code === 'UND_ERR_INVALID_ARG') return upstreamErrors.valueNotSendable({ notSent: true }, cause);
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO')
    return upstreamErrors.tlsFailed({ origin, code }, lasting, cause);
  return sent
    ? upstreamErrors.connectionClosed({ origin }, {}, cause)
    : upstreamErrors.unreachableForUnknownReason({ origin }, sending, cause);
}
