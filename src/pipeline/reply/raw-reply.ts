import { isUtf8 } from 'node:buffer';
import { characterEnd } from '../../lib/json/escape/escape-bytes.ts';
import { isPlainAscii } from '../../lib/text/plain-ascii.ts';
import type { Content } from './reply.ts';
import { cleanText } from './clean-text.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

type Text = Extract<Content, { readonly type: 'text' }>;

const received = new WeakCache<Content, Buffer>();

/**
 * A text that nothing was done to: where its bytes are UTF-8 in which everything is seen, they are the text, and whoever
 * can use them as they are spares making it. For any others `read` makes the text.
 */
export function textAsItCame(bytes: Buffer, read: () => string): Text {
  let text: string | null = null;
  const part: Text = {
    type: 'text',
    // A property like any other to whoever copies this or makes JSON of it.
    get text() {
      return (text ??= read());
    },
  };
  received.set(part, bytes);
  return part;
}

/** The bytes of a text that nothing was done to; undefined for every other. */
export function bytesAsTheyCame(part: Content): Buffer | undefined {
  return received.get(part);
}

/** A text, or of one that nothing was done to at least as much as is wanted of it. */
export function textOrStart(part: Text, length: number): string {
  const bytes = received.get(part);
  return (bytes === undefined ? null : startOf(bytes, length)) ?? part.text;
}

function startOf(bytes: Buffer, length: number): string | null {
  if (isPlainAscii(bytes.subarray(0, length))) return bytes.toString('latin1', 0, length);
  let text = '';
  for (let at = 0; at < bytes.length && text.length < length;) {
    // What is no ASCII takes up to three bytes for each unit of a text, and up to four for a character.
    const most = at + Math.max(4, at === 0 ? length : 3 * (length - text.length));
    const end = most >= bytes.length ? bytes.length : characterEnd(bytes, most);
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
