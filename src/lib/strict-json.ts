import { isUtf8 } from 'node:buffer';

/** What a strict reader refuses, in words that can be shown to the sender. */
export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';
}

/** The deepest nesting of arrays and objects that `parseStrictJson` accepts. */
export const maxJsonDepth = 64;

/**
 * Reads one JSON document as it must be at the edge: valid UTF-8, no duplicate keys (RFC 8259 section 4 leaves
 * their meaning open, and two readers that disagree are a security hole), at most `maxJsonDepth` levels deep.
 * Throws `StrictJsonError`.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new StrictJsonError('The body is not valid UTF-8.');
  return parseStrictJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** The same for text that is known to be well-formed Unicode. */
export function parseStrictJsonText(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null) return value;
  // JSON.parse keeps the last of two equal keys, so a duplicate shows as fewer members than the text has colons.
  if (countMembers(value, 1) !== countColons(text))
    throw new StrictJsonError('An object in the body has the same key twice.');
  return value;
}

function countMembers(value: object, depth: number): number {
  if (depth > maxJsonDepth)
    throw new StrictJsonError(`The body is nested deeper than ${maxJsonDepth} levels.`);
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'object' && item !== null) count += countMembers(item, depth + 1);
    }
    return count;
  }
  for (const key in value) {
    count++;
    const member: unknown = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null) count += countMembers(member, depth + 1);
  }
  return count;
}

// Counts the colons outside strings in text that is known to be valid JSON.
function countColons(text: string): number {
  let count = 0;
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at);
    const end = open === -1 ? text.length : open;
    for (let i = at; i < end; i++) if (text.charCodeAt(i) === 0x3a) count++;
    if (open === -1) return count;
    at = open + 1;
    for (;;) {
      const close = text.indexOf('"', at);
      at = close + 1;
      let back = close - 1;
      while (text.charCodeAt(back) === 0x5c) back--;
      // An even number of backslashes before the quote leaves it unescaped.
      if (((close - back) & 1) === 1) break;
    }
  }
}
