import { isUtf8 } from 'node:buffer';
import { characterEnd } from '../../lib/json/escape/escape-bytes.ts';
import { isPlainAscii } from '../../lib/text/plain-ascii.ts';
import type { Content } from './reply.ts';
import { cleanText } from './clean-text.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

type Text = Extract<Content, { readonly type: 'text' }>;

const received = new WeakCache<Content, Buffer>();

/**
 * An unmodified text. If its bytes are UTF-8 without invisible characters, they are the text, and code that can use the
 * bytes directly avoids building the string; otherwise `read` builds it.
 */
export function rawTextContent(bytes: Buffer, read: () => string): Text {
  let text: string | null = null;
  const part: Text = {
    type: 'text',
    // An ordinary property to code that copies or serializes this.
    get text() {
      return (text ??= read());
    },
  };
  received.set(part, bytes);
  return part;
}

/** The bytes of an unmodified text; undefined for any other content. */
export function rawBytes(part: Content): Buffer | undefined {
  return received.get(part);
}

/** A text; for an unmodified one, at least its first `length` characters. */
export function textOrStart(part: Text, length: number): string {
  const bytes = received.get(part);
  return (bytes === undefined ? null : startOf(bytes, length)) ?? part.text;
}

function startOf(bytes: Buffer, length: number): string | null {
  if (isPlainAscii(bytes.subarray(0, length))) return bytes.toString('latin1', 0, length);
  let text = '';
  for (let at = 0; at < bytes.length && text.length < length;) {
    // Non-ASCII text takes up to three bytes per UTF-16 unit, and up to four per character.
    const limit = at + Math.max(4, at === 0 ? length : 3 * (length - text.length));
    const end = limit >= bytes.length ? bytes.length : characterEnd(bytes, limit);
    const piece = bytes.subarray(at, end);
    if (piece.length === 0 || !isUtf8(piece)) return null;
    text += cleanText(piece.toString('utf8'));
    at = end;
  }
  return text;
}

/** About how many bytes a text has. */
export function textBytes(part: Text): number {
  return received.get(part)?.length ?? Buffer.byteLength(part.text);
}
