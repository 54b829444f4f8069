// JavaScript's numbers have 53 bits: `9007199254740993` in JSON is read as `9007199254740992`, and IDs of many
// APIs are longer. Values stay what `JSON.parse` returns, so everything that checks and compares them keeps
// working; the original text of a number that doesn't fit is stored alongside its object or array.

import { fieldOf, setField } from '../plain-object.ts';

type Key = string | number;

// Keyed by object or array; one whose long numbers are all nested deeper has an empty map.
const written = new WeakMap<object, Map<Key, string>>();

/** Whether a number in JSON has more digits than a JavaScript number is sure to keep. */
export function isLongNumber(literal: string): boolean {
  return literal.length > safeDigits && String(Number(literal)) !== literal;
}

/** The most digits that every number keeps. */
const safeDigits = 15;

/** Thrown for text with more long numbers than are allowed. */
export class TooManyLongNumbers extends Error {
  override readonly name = 'TooManyLongNumbers';
}

/**
 * `JSON.parse` for text with long numbers: `jsonText` writes them back unchanged. Throws what `JSON.parse`
 * throws, and `TooManyLongNumbers`, because each one takes several microseconds.
 */
export function parseExactly(text: string, maxLongNumbers = Infinity): unknown {
  const literals: string[] = [];
  const marked = replaceLongNumbers(text, (literal) => {
    if (literals.length >= maxLongNumbers) throw new TooManyLongNumbers();
    return `{"${mark}":${literals.push(literal) - 1}}`;
  });
  if (literals.length === 0) return JSON.parse(text) as unknown;
  const value: unknown = JSON.parse(marked);
  return unmark({ value }, 'value', literals) ? numberOf(value, literals) : value;
}

/**
 * `JSON.parse` for values that other code copies and writes with `JSON.stringify`: long numbers become marked
 * strings, which `writeMarked` finds in the output and turns back into numbers.
 */
export function parseMarked(text: string): unknown {
  return JSON.parse(replaceLongNumbers(text, (literal) => `"${mark} ${literal}"`));
}

/**
 * JSON in which integers that don't fit a number are strings of their digits, for readers that would round
 * them.
 */
export function longIntegersAsText(text: string): string {
  return replaceLongNumbers(text, (literal) => (isInteger.test(literal) ? `"${literal}"` : literal));
}

/** Restores the long numbers that `parseMarked` replaced. */
export function writeMarked(text: string): string {
  const [first, ...rest] = text.split(`"${mark} `);
  // The first quote after a number closes its string.
  return rest.length === 0 ? text : first + rest.map((piece) => piece.replace('"', '')).join('');
}

/**
 * The same for a single string: returns the digits of a number that `parseMarked` replaced, and any other
 * string unchanged.
 */
export function writeMarkedText(text: string): string {
  return text.startsWith(`${mark} `) ? text.slice(mark.length + 1) : text;
}

function replaceLongNumbers(text: string, replace: (literal: string) => string): string {
  if (!hasManyDigits(text)) return text;
  return text.replace(stringOrNumber, (token) =>
    // Anything that isn't a number is left for `JSON.parse` to reject.
    token.startsWith('"') || !isLongNumber(token) || !isNumber.test(token) ? token : replace(token),
  );
}

// For almost every text, this check is enough.
const manyDigits = /[0-9.]{16}/;

/** Whether a text may contain a number with more digits than a JavaScript number keeps. */
export function hasManyDigits(text: string): boolean {
  return manyDigits.test(text);
}

// Linear: a string ends at its first unescaped quote or at the end of the text, and a number is a run of its
// characters.
const stringOrNumber = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[-+.0-9eE]+/gs;
const isInteger = /^-?\d+$/;
const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
// Random, so no text that a client sends can contain it.
const mark = `number-${crypto.randomUUID()}`;

function isMark(value: unknown): value is Record<string, number> {
  return isHolder(value) && Object.hasOwn(value, mark);
}

function numberOf(value: unknown, literals: readonly string[]): unknown {
  return isMark(value) ? Number(literals[value[mark]!]) : value;
}

/**
 * Replaces marks with numbers and stores their original text. Returns whether this value or anything inside it
 * had one.
 */
function unmark(holder: object, key: Key, literals: readonly string[]): boolean {
  const value = fieldOf(holder, key);
  if (typeof value !== 'object' || value === null) return false;
  if (isMark(value)) {
    const literal = literals[value[mark]!]!;
    setField(holder, key, Number(literal));
    keepWritten(holder, key, literal);
    return true;
  }
  let found = false;
  for (const inner of Array.isArray(value) ? value.keys() : Object.keys(value))
    if (unmark(value, inner, literals)) found = true;
  if (found && !written.has(value)) written.set(value, new Map());
  return found;
}

/** Stores the original text of a number in an object or array. */
export function keepWritten(holder: object, key: Key, literal: string): void {
  const known = written.get(holder);
  if (known) known.set(key, literal);
  else written.set(holder, new Map([[key, literal]]));
}

/** Whether an object or array contains, at any depth, numbers too long for JavaScript. */
export function hasLongNumbers(value: object): boolean {
  return written.has(value);
}

/** The original text of one number; undefined if the number fits. */
export function writtenAs(holder: object, key: Key): string | undefined {
  return written.get(holder)?.get(key);
}

/** Copies the original texts from an object to its copy. Fields whose value differs in the copy are skipped. */
export function carryWritten(from: object, to: object): void {
  const known = written.get(from);
  if (known === undefined || from === to) return;
  const kept = written.get(to) ?? new Map<Key, string>();
  for (const [key, literal] of known) if (fieldOf(to, key) === fieldOf(from, key)) kept.set(key, literal);
  written.set(to, kept);
}

/** The same for a deep copy, such as one a parser makes: applied wherever both have an object or array. */
export function carryAll(from: unknown, to: unknown): void {
  if (!isHolder(from) || !isHolder(to) || !written.has(from) || from === to) return;
  carryWritten(from, to);
  for (const key of Object.keys(from)) carryAll(fieldOf(from, key), fieldOf(to, key));
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Carries over the original text of one value that was set on another object under its own key. */
export function carryNumber(from: object, key: Key, to: object, toKey: Key): void {
  const literal = writtenAs(from, key);
  if (literal !== undefined) return keepWritten(to, toKey, literal);
  const value = fieldOf(from, key);
  if (isHolder(value) && written.has(value) && !written.has(to)) written.set(to, new Map());
}

/** The same object or array with long numbers as strings of digits, for output as text. */
export function withDigits<T extends object>(value: T): T {
  const known = written.get(value);
  if (known === undefined || known.size === 0) return value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of it
  const copy = (Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value }) as T;
  for (const [key, literal] of known) setField(copy, key, literal);
  const inner = new Map<Key, string>();
  written.set(copy, inner);
  return copy;
}

/** `JSON.stringify` that writes long numbers with their original digits. */
export function jsonText(value: unknown): string {
  if (!isHolder(value) || !written.has(value)) return JSON.stringify(value);
  const known = written.get(value)!;
  if (Array.isArray(value))
    return `[${value.map((item, i) => known.get(i) ?? jsonText(item ?? null)).join(',')}]`;
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${members
    .map(([key, inner]) => `${JSON.stringify(key)}:${known.get(key) ?? jsonText(inner)}`)
    .join(',')}}`;
}
