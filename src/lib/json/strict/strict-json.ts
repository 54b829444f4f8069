import { isAscii, isUtf8 } from 'node:buffer';
import { hasManyDigits, parseExactly, TooManyLongNumbers } from '../numbers/exact-numbers.ts';
import { hasMoreParts, partsPerMember } from './count-parts.ts';

/** Why strict parsing rejected a text, in words for the sender. */
export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';
}

/** The deepest nesting of arrays and objects that `parseStrictJson` accepts. */
export const maxJsonDepth = 64;

// Counted as in `hasMoreParts`.
const maxPartsOfBody = 300_000;

/**
 * Parses a JSON document at the edge: it must be valid UTF-8, without duplicate keys (RFC 8259 section 4 leaves
 * their meaning open, and two parsers that disagree are a security hole), at most `maxJsonDepth` levels deep,
 * and without so many parts that parsing would hold up other requests. Numbers with more digits than JavaScript
 * keeps stay exact (`exact-numbers.ts`). Throws `StrictJsonError`.
 */
export function parseStrictJson(bytes: Uint8Array, maxParts = maxPartsOfBody): unknown {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Nearly every message is plain ASCII, which is checked and decoded several times faster.
  if (isAscii(buffer)) return parseStrictJsonText(buffer.toString('latin1'), maxParts);
  if (!isUtf8(buffer)) throw new StrictJsonError('The body is not valid UTF-8.');
  return parseStrictJsonText(buffer.toString('utf8'), maxParts);
}

/** The same for a string that is known to be well-formed Unicode. */
export function parseStrictJsonText(text: string, maxParts = maxPartsOfBody): unknown {
  if (hasMoreParts(text, maxParts))
    throw new StrictJsonError(
      `The body has too many parts. The limit is ${maxParts.toLocaleString('en')} list elements or ${(maxParts / partsPerMember).toLocaleString('en')} object members.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError(
      hasComment(text)
        ? 'The body is not valid JSON: it contains a comment, and JSON has none. Remove the comments and try again.'
        : 'The body is not valid JSON.',
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  // JSON.parse keeps the last of two equal keys, so a duplicate shows as fewer members than the text has
  // colons.
  sawInexactNumber = false;
  const members = countMembers(value, 1);
  // Most messages have no colon inside a string; then a plain search finds them all, for a fifth of the work.
  if (members !== countAllColons(text) && members !== countColons(text))
    throw new StrictJsonError('An object in the body has the same key twice.');
  return sawInexactNumber && hasManyDigits(text) ? parseLongNumbers(text) : value;
}

const maxLongNumbers = 20_000;

function parseLongNumbers(text: string): unknown {
  try {
    return parseExactly(text, maxLongNumbers);
  } catch (thrown) {
    if (!(thrown instanceof TooManyLongNumbers)) throw thrown;
    throw new StrictJsonError(
      `The body has more than ${maxLongNumbers.toLocaleString('en')} numbers that are too long for exact values. Send them as strings, or split the body.`,
    );
  }
}

// Set while members are counted, which happens anyway.
let sawInexactNumber = false;

function mayBeInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

function countMembers(value: object, depth: number): number {
  if (depth > maxJsonDepth)
    throw new StrictJsonError(`The body is nested deeper than ${maxJsonDepth} levels.`);
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'object' && item !== null) count += countMembers(item, depth + 1);
      else if (mayBeInexact(item)) sawInexactNumber = true;
    }
    return count;
  }
  for (const key in value) {
    count++;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not an array, as checked above; indexed here because every message goes through this
    const member: unknown = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null) count += countMembers(member, depth + 1);
    else if (mayBeInexact(member)) sawInexactNumber = true;
  }
  return count;
}

/** Whether text that is not JSON has a comment outside its strings, as JavaScript writes them. */
function hasComment(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      for (i++; i < text.length && text.charCodeAt(i) !== quote; i++)
        if (text.charCodeAt(i) === backslash) i++;
    } else if (code === slash && (text.charCodeAt(i + 1) === slash || text.charCodeAt(i + 1) === star))
      return true;
  }
  return false;
}

const slash = 0x2f;
const star = 0x2a;
const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

function countAllColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count++;
  return count;
}

// Counts the colons outside strings in text that is known to be valid JSON. Messages are short, and for short
// strings a plain loop is several times faster than searching for their ends.
function countColons(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === colon) count++;
    else if (code === quote) {
      for (i++; text.charCodeAt(i) !== quote; i++) if (text.charCodeAt(i) === backslash) i++;
    }
  }
  return count;
}
