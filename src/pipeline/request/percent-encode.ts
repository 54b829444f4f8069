import { HandrailError } from '../../domain/errors.ts';

/** Percent-encodes all but RFC 3986's unreserved characters, as RFC 6570 asks. `name` is for the message. */
export function percentEncode(text: string, name: string): string {
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    throw unsafe(name, 'holds half of a character (a lone surrogate) and cannot be sent');
  }
  return needsMore.test(encoded) ? encoded.replace(/[!'()*]/g, escapeByte) : encoded;
}

const needsMore = /[!'()*]/;

function escapeByte(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * The same, but escapes and the reserved characters in `kept` stay as they are (OpenAPI's `allowReserved`, RFC 6570's
 * `{+name}`). The caller keeps only those that cannot end the value's own place.
 */
export function percentEncodeReserved(text: string, name: string, kept: RegExp): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~]/gu, (found) =>
    found.length > 1 && found.startsWith('%') ? found : kept.test(found) ? found : percentEncode(found, name),
  );
}

/** The refusal of a value that cannot be sent where it belongs. */
export function unsafe(name: string, why: string): HandrailError {
  return new HandrailError('unsafe_value', `${name} ${why}.`, {
    problems: [{ path: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, message: why }],
  });
}
