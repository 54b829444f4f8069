import type { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';

/** Percent-encodes all but RFC 3986's unreserved characters, as RFC 6570 requires. `name` is for the error message. */
export function percentEncode(text: string, name: string): string {
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    throw unsafeValueError(name, 'contains half of a character (a lone surrogate) and cannot be sent');
  }
  return needsMore.test(encoded) ? encoded.replace(/[!'()*]/g, escapeByte) : encoded;
}

const needsMore = /[!'()*]/;

function escapeByte(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * The same, but existing escapes and the reserved characters in `kept` stay unencoded (OpenAPI's `allowReserved`, RFC
 * 6570's `{+name}`). The caller must only keep characters that cannot end the value's own component.
 */
export function percentEncodeReserved(text: string, name: string, kept: RegExp): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~]/gu, (found) =>
    found.length > 1 && found.startsWith('%') ? found : kept.test(found) ? found : percentEncode(found, name),
  );
}

/** The error for a value that cannot be sent where it belongs. */
export function unsafeValueError(name: string, why: string): HandrailError {
  return pipelineErrors.unsafeValue(
    { argument: name, reason: why },
    { problems: [{ path: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, message: why }] },
  );
}
