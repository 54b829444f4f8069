import { writeMarked } from '../../lib/json/numbers/exact-numbers.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

/** A text that was shortened, with a sentence that says so; null when it was not. */
export interface CutText {
  readonly text: string;
  readonly note: string | null;
}

/**
 * Shortens a text to at most `maxBytes`, at a safe place: a list loses its last items and stays whole JSON, other text
 * ends at a line or word. `value` is what the text is the JSON of, when it is.
 */
export function cutText(text: string, value: unknown, maxBytes: number): CutText {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, note: null };
  const list = value === undefined ? null : cutList(value, maxBytes);
  if (list !== null) return list;
  const end = safeEnd(text, maxBytes);
  return {
    text: text.slice(0, end),
    note: `[Cut: the first ${Buffer.byteLength(text.slice(0, end))} of ${bytes} bytes. Ask for less, or for the rest by other arguments.]`,
  };
}

/** Keeps as many items of the list, or of the longest list in an object, as fit. */
function cutList(value: unknown, maxBytes: number): CutText | null {
  const place = longestList(value);
  if (place === null) return null;
  const { list, name } = place;
  const textOf = (count: number) => {
    const shorter = list.slice(0, count);
    return writeMarked(JSON.stringify(name === null ? shorter : { ...objectOr(value), [name]: shorter }));
  };
  if (Buffer.byteLength(textOf(0)) > maxBytes) return null;
  let fits = 0;
  let tooMany = list.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (Buffer.byteLength(textOf(middle)) <= maxBytes) fits = middle;
    else tooMany = middle;
  }
  if (fits === 0) return null;
  const where = name === null ? '' : ` of "${name}"`;
  return {
    text: textOf(fits),
    note: `[Cut: the first ${fits} of ${list.length} items${where}. Ask for less, or for the rest by other arguments.]`,
  };
}

function longestList(
  value: unknown,
): { readonly list: readonly unknown[]; readonly name: string | null } | null {
  if (Array.isArray(value)) return { list: value, name: null };
  if (typeof value !== 'object' || value === null) return null;
  let found: { list: readonly unknown[]; name: string } | null = null;
  for (const [name, inner] of Object.entries(value)) {
    if (Array.isArray(inner) && inner.length > (found?.list.length ?? 0)) found = { list: inner, name };
  }
  return found;
}

/** Where a text may end: after a line, else after a word, else between characters, within the bytes. */
function safeEnd(text: string, maxBytes: number): number {
  let end = Math.min(text.length, maxBytes);
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > maxBytes) {
    end -= Math.max(1, Math.ceil((Buffer.byteLength(text.slice(0, end)) - maxBytes) / 4));
  }
  if (end > 0 && /[\ud800-\udbff]/.test(text[end - 1]!)) end--;
  const room = Math.floor(end * 0.8);
  const line = text.lastIndexOf('\n', end - 1);
  if (line >= room) return line;
  const space = text.lastIndexOf(' ', end - 1);
  return space >= room ? space : end;
}
