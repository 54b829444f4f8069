/**
 * A text with one layer of disguise removed: what is left after a browser, a JSON parser, a URL decoder or a person
 * reads it. The pieces say where each part came from, so that a match can be masked in the source.
 */
export interface RevealedText {
  readonly text: string;
  readonly pieces: Pieces | null;
}

/** How markup is read: as text like any other, or as tags and comments that vanish. */
export type MarkupReading = 'as-text' | 'removed';

// Characters that no one sees, or that Unicode calls compatible with ASCII (full-width, mathematical, circled …).
const unseenOrCompatible: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xaa, 0xaa],
  [0xad, 0xad],
  [0xb2, 0xb3],
  [0xb9, 0xba],
  [0x2b0, 0x2b8],
  [0x2e1, 0x2e3],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x1d2c, 0x1d6a],
  [0x200b, 0x200f],
  [0x2024, 0x2026],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2070, 0x209c],
  [0x2100, 0x214f],
  [0x2160, 0x217f],
  [0x2460, 0x24ff],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfe50, 0xfe6b],
  [0xfeff, 0xfeff],
  [0xff01, 0xff5e],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1_bca0, 0x1_bca3],
  [0x1_d173, 0x1_d17a],
  [0x1_d400, 0x1_d7ff],
  [0x1_f100, 0x1_f1ac],
  [0x1_fbf0, 0x1_fbf9],
  [0xe_0000, 0xe_0fff],
];

const ampersand = 0x26;
const backslash = 0x5c;
const percent = 0x25;
const equals = 0x3d;
const lessThan = 0x3c;
const bracket = 0x5d;

/** By character code, whether a mark may start there; surrogates are looked up as pairs. */
const startsMark = new Uint8Array(0x1_0000);
for (const code of [ampersand, backslash, percent, equals, lessThan, bracket]) startsMark[code] = 1;
for (const [from, to] of unseenOrCompatible) startsMark.fill(1, from, Math.min(to + 1, 0x1_0000));
startsMark.fill(1, 0xd800, 0xe000);

const anyMark = new RegExp(
  `[&<\\\\%=${unseenOrCompatible.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')}]`,
  'u',
);

/** Whether a text has anything that `reveal` could remove; false is certain. */
export function mayDisguise(text: string): boolean {
  return anyMark.test(text);
}

/** Joins words that are broken over lines, as encoders of base64 do; the same text when there are none. */
export function joinLines(text: string, withPieces: boolean): RevealedText {
  const parts: string[] = [];
  const pieces = withPieces ? new Pieces() : null;
  let plainFrom = 0;
  for (let line = text.indexOf('\n'); line !== -1; line = text.indexOf('\n', line + 1)) {
    const end = text.charCodeAt(line - 1) === 0x0d ? line - 1 : line;
    let next = line + 1;
    while (next - line <= maxIndent && (text[next] === ' ' || text[next] === '\t')) next++;
    if (end <= plainFrom || !isOfWord(text.charCodeAt(end - 1)) || !isOfWord(text.charCodeAt(next))) continue;
    parts.push(text.slice(plainFrom, end));
    pieces?.addPlain(plainFrom, end);
    plainFrom = next;
  }
  if (plainFrom === 0) return { text, pieces: null };
  parts.push(text.slice(plainFrom));
  pieces?.addPlain(plainFrom, text.length);
  return { text: parts.join(''), pieces };
}

const maxIndent = 8;

function isOfWord(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || '+/=_-'.includes(String.fromCharCode(code));
}

/** Removes one layer of disguise; the same text when there is none. Reads each character a bounded number of times. */
export function reveal(text: string, markup: MarkupReading, withPieces: boolean): RevealedText {
  const parts: string[] = [];
  const pieces = withPieces ? new Pieces() : null;
  const tags = markup === 'removed' ? new TagReader(text) : null;
  let plainFrom = 0;
  for (let at = 0; at < text.length; at++) {
    if (startsMark[text.charCodeAt(at)] === 0) continue;
    const mark = readMark(text, at, tags);
    if (mark === null) continue;
    if (at > plainFrom) {
      parts.push(text.slice(plainFrom, at));
      pieces?.addPlain(plainFrom, at);
    }
    if (mark.means !== '') parts.push(mark.means);
    pieces?.addDecoded(at, mark.end, mark.means.length);
    plainFrom = mark.end;
    at = mark.end - 1;
  }
  if (plainFrom === 0) return { text, pieces: null };
  parts.push(text.slice(plainFrom));
  pieces?.addPlain(plainFrom, text.length);
  return { text: parts.join(''), pieces };
}

/** Something in a text that a reader sees as something else, or doesn't see. */
interface Mark {
  readonly end: number;
  readonly means: string;
}

function readMark(text: string, at: number, tags: TagReader | null): Mark | null {
  switch (text.charCodeAt(at)) {
    case ampersand:
      return readEntity(text, at);
    case backslash:
      return readEscape(text, at);
    case percent:
      return readPercent(text, at);
    case equals:
      return readQuotedPrintable(text, at);
    case lessThan: {
      const end = tags?.endOf(at) ?? at;
      return end === at ? null : { end, means: '' };
    }
    case bracket:
      return tags !== null && text.startsWith(']]>', at) ? { end: at + 3, means: '' } : null;
    default:
      return readCharacter(text, at);
  }
}

/** The number written at `from` in at most `maxDigits` digits; null when there are fewer than `minDigits`. */
function readNumber(text: string, from: number, minDigits: number, maxDigits: number, base: 8 | 10 | 16) {
  let value = 0;
  let at = from;
  for (; at < from + maxDigits; at++) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit === -1 || digit >= base) break;
    value = value * base + digit;
  }
  return at - from < minDigits ? null : { end: at, value };
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** A character by its number; '' for an invalid number. */
function characterOf(value: number): string {
  return value > 0 && value <= 0x10_ffff ? String.fromCodePoint(value) : '';
}

const maxEntityName = 24;

function readEntity(text: string, at: number): Mark | null {
  const isNumber = text[at + 1] === '#';
  const isHex = isNumber && (text[at + 2] === 'x' || text[at + 2] === 'X');
  if (isNumber) {
    const number = readNumber(text, at + (isHex ? 3 : 2), 1, 16, isHex ? 16 : 10);
    return number === null
      ? null
      : { end: withSemicolon(text, number.end), means: characterOf(number.value) };
  }
  let end = at + 1;
  while (end - at <= maxEntityName && isLetter(text.charCodeAt(end))) end++;
  const means = namedCharacter(text.slice(at + 1, end));
  return means === null ? null : { end: withSemicolon(text, end), means };
}

function withSemicolon(text: string, end: number): number {
  return text[end] === ';' ? end + 1 : end;
}

// The escapes of JavaScript, JSON, Python, C and CSS.
function readEscape(text: string, at: number): Mark | null {
  const kind = text[at + 1];
  switch (kind) {
    case undefined:
      return null;
    case 'u': {
      const isBraced = text[at + 2] === '{';
      const number = isBraced ? readNumber(text, at + 3, 1, 6, 16) : readNumber(text, at + 2, 4, 4, 16);
      if (number === null || (isBraced && text[number.end] !== '}')) return null;
      return {
        end: number.end + (isBraced ? 1 : 0),
        means: String.fromCodePoint(Math.min(number.value, 0x10_ffff)),
      };
    }
    case 'U':
    case 'x': {
      const digits = kind === 'x' ? 2 : 8;
      const number = readNumber(text, at + 2, digits, digits, 16);
      return number === null ? null : { end: number.end, means: characterOf(number.value) };
    }
    case '\n':
      return { end: at + 2, means: '' };
    case '\r':
      return text[at + 2] === '\n' ? { end: at + 3, means: '' } : null;
    case 'n':
    case 'r':
      return { end: at + 2, means: kind === 'n' ? '\n' : '\r' };
    default:
      return (
        readNumericEscape(text, at) ??
        (isLetter(text.charCodeAt(at + 1)) ? null : { end: at + 2, means: kind })
      );
  }
}

/** `\\163` as C writes it, `\\000073` or `\\73 ` as CSS does. */
function readNumericEscape(text: string, at: number): Mark | null {
  const css = readNumber(text, at + 1, 2, 6, 16);
  if (css === null) return null;
  const digits = css.end - at - 1;
  if (digits === 6 && css.value < 0x100)
    return { end: text[css.end] === ' ' ? css.end + 1 : css.end, means: characterOf(css.value) };
  const octal = readNumber(text, at + 1, 3, 3, 8);
  if (octal !== null && octal.value < 0x100) return { end: octal.end, means: characterOf(octal.value) };
  return digits === 2 && text[css.end] === ' ' ? { end: css.end + 1, means: characterOf(css.value) } : null;
}

function readPercent(text: string, at: number): Mark | null {
  if (text[at + 1] === 'u') {
    const number = readNumber(text, at + 2, 4, 4, 16);
    return number === null ? null : { end: number.end, means: String.fromCharCode(number.value) };
  }
  return readBytes(text, at, percent, 1);
}

/** Bytes in quoted-printable, or a line end that it hides. A single byte may as well be the value in `a=12`. */
function readQuotedPrintable(text: string, at: number): Mark | null {
  if (text[at + 1] === '\n') return { end: at + 2, means: '' };
  if (text[at + 1] === '\r') return text[at + 2] === '\n' ? { end: at + 3, means: '' } : null;
  return readBytes(text, at, equals, 2);
}

const maxBytes = 1_024;

/** Bytes in hexadecimal, each behind the same mark, as UTF-8. */
function readBytes(text: string, at: number, mark: number, minBytes: number): Mark | null {
  const bytes: number[] = [];
  let isAscii = true;
  let end = at;
  while (bytes.length < maxBytes && text.charCodeAt(end) === mark) {
    const number = readNumber(text, end + 1, 2, 2, 16);
    if (number === null) break;
    bytes.push(number.value);
    isAscii &&= number.value < 0x80;
    end = number.end;
  }
  if (bytes.length < minBytes) return null;
  return { end, means: isAscii ? String.fromCharCode(...bytes) : Buffer.from(bytes).toString('utf8') };
}

/** The ASCII that a character is compatible with; nothing for one that no one sees. */
function readCharacter(text: string, at: number): Mark | null {
  const code = text.codePointAt(at)!;
  const end = at + (code > 0xffff ? 2 : 1);
  if (code > 0xffff && !unseenOrCompatible.some(([from, to]) => code >= from && code <= to)) return null;
  if (code >= 0xd800 && code < 0xe000) return null;
  // A cleaner removes tag characters, which spell ASCII without being seen.
  if (code >= 0xe_0000) return { end, means: '' };
  if (code === 0x2028 || code === 0x2029) return { end, means: '\n' };
  const character = text.slice(at, end);
  const folded = character.normalize('NFKC');
  if (/^[\x20-\x7e]+$/.test(folded)) return { end, means: folded };
  return isSeen(character, code) ? null : { end, means: '' };
}

// Letters by class that show nothing: Hangul fillers and Khmer inherent vowels.
const blankLetters = new Set([0x115f, 0x1160, 0x3164, 0xffa0, 0x17b4, 0x17b5]);

function isSeen(character: string, code: number): boolean {
  return !blankLetters.has(code) && /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);
}

/** Where the pieces of a revealed text are in its source, in order. */
export class Pieces {
  readonly #revealed: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #isPlain: boolean[] = [];
  #length = 0;

  addPlain(from: number, to: number): void {
    this.#add(from, to, to - from, true);
  }

  addDecoded(from: number, to: number, length: number): void {
    // What vanishes belongs to no character.
    if (length > 0) this.#add(from, to, length, false);
  }

  #add(from: number, to: number, length: number, isPlain: boolean): void {
    this.#revealed.push(this.#length);
    this.#from.push(from);
    this.#to.push(to);
    this.#isPlain.push(isPlain);
    this.#length += length;
  }

  /** The source range of a range of the revealed text. */
  sourceOf(start: number, end: number): readonly [start: number, end: number] {
    const first = this.#indexOf(start);
    const last = this.#indexOf(end - 1);
    return [
      this.#isPlain[first] ? this.#from[first]! + start - this.#revealed[first]! : this.#from[first]!,
      this.#isPlain[last] ? this.#from[last]! + end - this.#revealed[last]! : this.#to[last]!,
    ];
  }

  #indexOf(position: number): number {
    let low = 0;
    let high = this.#revealed.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#revealed[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const maxTagLength = 4_096;

/** Finds the ends of tags, comments and hidden elements. The work for tags that never end is bounded for the whole text. */
class TagReader {
  readonly #text: string;
  #steps: number;
  readonly #unclosed = new Set<string>();

  constructor(text: string) {
    this.#text = text;
    this.#steps = 4 * text.length + maxTagLength;
  }

  /** Where the markup at `open` ends; `open` itself when there is none. */
  endOf(open: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', open)) return this.#after('-->', open + 4) ?? open;
    // Its content is text; the mark at its end is removed by itself.
    if (text.startsWith('<![CDATA[', open)) return open + 9;
    const next = text.charCodeAt(open + 1);
    if (next === 0x21 || next === 0x3f) return this.#tagEnd(open + 2) ?? open;
    const nameAt = next === 0x2f ? open + 2 : open + 1;
    if (!isLetter(text.charCodeAt(nameAt))) return open;
    const end = this.#tagEnd(nameAt);
    if (end === null) return open;
    const hidden = next === 0x2f || text[end - 2] === '/' ? null : hiddenElement(text, nameAt);
    return (hidden === null ? null : this.#after(`</${hidden}>`, end)) ?? end;
  }

  #after(closing: string, from: number): number | null {
    if (this.#unclosed.has(closing)) return null;
    const found = this.#text.indexOf(closing, from);
    if (found === -1) this.#unclosed.add(closing);
    return found === -1 ? null : found + closing.length;
  }

  #tagEnd(from: number): number | null {
    const text = this.#text;
    let quote = 0;
    const last = Math.min(text.length, from + Math.min(maxTagLength, this.#steps));
    for (let at = from; at < last; at++) {
      const code = text.charCodeAt(at);
      if (quote !== 0) {
        if (code === quote) quote = 0;
      } else if (code === 0x3e) {
        this.#steps -= at - from;
        return at + 1;
      } else if (code === 0x3c) {
        this.#steps -= at - from;
        return null;
      } else if (code === 0x22 || code === 0x27) quote = code;
    }
    this.#steps -= last - from;
    return null;
  }
}

const hiddenElements = ['script', 'style', 'template', 'noscript'];

function hiddenElement(text: string, nameAt: number): string | null {
  const start = text.slice(nameAt, nameAt + 9).toLowerCase();
  return (
    hiddenElements.find((name) => start.startsWith(name) && !isLetter(start.charCodeAt(name.length))) ?? null
  );
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

const namedCharacters: Readonly<Record<string, string>> = {
  Tab: '\t',
  NewLine: '\n',
  nbsp: ' ',
  excl: '!',
  quot: '"',
  QUOT: '"',
  num: '#',
  dollar: '$',
  percnt: '%',
  amp: '&',
  AMP: '&',
  apos: "'",
  lpar: '(',
  rpar: ')',
  ast: '*',
  midast: '*',
  plus: '+',
  comma: ',',
  period: '.',
  sol: '/',
  colon: ':',
  semi: ';',
  lt: '<',
  LT: '<',
  equals: '=',
  gt: '>',
  GT: '>',
  quest: '?',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  bsol: '\\',
  rsqb: ']',
  rbrack: ']',
  Hat: '^',
  lowbar: '_',
  UnderBar: '_',
  grave: '`',
  DiacriticalGrave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  VerticalLine: '|',
  rcub: '}',
  rbrace: '}',
  fjlig: 'fj',
  shy: '',
  zwj: '',
  zwnj: '',
  lrm: '',
  rlm: '',
  ZeroWidthSpace: '',
  NegativeVeryThinSpace: '',
  NegativeThinSpace: '',
  NegativeMediumSpace: '',
  NegativeThickSpace: '',
  NoBreak: '',
  ApplyFunction: '',
  af: '',
  InvisibleTimes: '',
  it: '',
  InvisibleComma: '',
  ic: '',
};

/** The character of an entity name; null for a name that doesn't matter here. */
function namedCharacter(name: string): string | null {
  if (Object.hasOwn(namedCharacters, name)) return namedCharacters[name]!;
  // Letters of mathematics, such as `&sscr;`.
  return /^[A-Za-z](?:fr|opf|scr)$/.test(name) ? name[0]! : null;
}
