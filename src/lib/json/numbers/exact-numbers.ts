// JavaScript's numbers have 53 bits: `9007199254740993` in JSON is read as `9007199254740992`, and ids of many APIs are
// longer. Values stay what `JSON.parse` makes of them, so that everything that checks and compares goes on as it does;
// what was written for those that cannot be held is kept beside the object or array that holds them.

import { fieldOf, setField } from '../plain-object.ts';

type Key = string | number;

// By object or array; one that only has such numbers further down has an empty map.
const written = new WeakMap<object, Map<Key, string>>();

/** Whether a number in JSON has more digits than a number is sure to keep. */
export function isLongNumber(literal: string): boolean {
  return literal.length > safeDigits && String(Number(literal)) !== literal;
}

/** The most digits that every number keeps. */
const safeDigits = 15;

/** Thrown for a text with more long numbers than may be kept. */
export class TooManyLongNumbers extends Error {
  override readonly name = 'TooManyLongNumbers';
}

/**
 * `JSON.parse` for text with long numbers: `jsonText` writes them as they were. Throws what `JSON.parse` throws, and
 * `TooManyLongNumbers`, because each takes some microseconds.
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
 * `JSON.parse` for what others copy and write with `JSON.stringify`: long numbers become texts that `writeMarked` finds in
 * what was written and turns back.
 */
export function parseMarked(text: string): unknown {
  return JSON.parse(replaceLongNumbers(text, (literal) => `"${mark} ${literal}"`));
}

/** JSON whose integers that no number holds are texts of their digits, for readers that would round them. */
export function longIntegersAsText(text: string): string {
  return replaceLongNumbers(text, (literal) => (isInteger.test(literal) ? `"${literal}"` : literal));
}

/** JSON with the long numbers that `parseMarked` put away. */
export function writeMarked(text: string): string {
  const [first, ...rest] = text.split(`"${mark} `);
  // The first quote behind a number ends the text that it stood in.
  return rest.length === 0 ? text : first + rest.map((piece) => piece.replace('"', '')).join('');
}

/** The same for one text by itself: the digits of a number that `parseMarked` put away, any other text as it is. */
export function writeMarkedText(text: string): string {
  return text.startsWith(`${mark} `) ? text.slice(mark.length + 1) : text;
}

function replaceLongNumbers(text: string, replace: (literal: string) => string): string {
  if (!hasManyDigits(text)) return text;
  return text.replace(stringOrNumber, (token) =>
    // What is no number stays for `JSON.parse` to refuse.
    token.startsWith('"') || !isLongNumber(token) || !isNumber.test(token) ? token : replace(token),
  );
}

// Nearly every text is told by this alone.
const manyDigits = /[0-9.]{16}/;

/** Whether a text may hold a number with more digits than a number keeps. */
export function hasManyDigits(text: string): boolean {
  return manyDigits.test(text);
}

// Linear: a string ends at its first quote that is not escaped, or with the text, and a number is a run of its characters.
const stringOrNumber = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[-+.0-9eE]+/gs;
const isInteger = /^-?\d+$/;
const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
// No text that is sent can know it.
const mark = `number-${crypto.randomUUID()}`;

function isMark(value: unknown): value is Record<string, number> {
  return isHolder(value) && Object.hasOwn(value, mark);
}

function numberOf(value: unknown, literals: readonly string[]): unknown {
  return isMark(value) ? Number(literals[value[mark]!]) : value;
}

/** Puts numbers in the place of marks and keeps what was written; says whether there was one at or below this place. */
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

/** Remembers how a number of an object or array was written. */
export function keepWritten(holder: object, key: Key, literal: string): void {
  const known = written.get(holder);
  if (known) known.set(key, literal);
  else written.set(holder, new Map([[key, literal]]));
}

/** Whether an object or array has numbers, at any depth, that are longer than they can be held. */
export function hasLongNumbers(value: object): boolean {
  return written.has(value);
}

/** How one number was written; undefined when it is as it can be held. */
export function writtenAs(holder: object, key: Key): string | undefined {
  return written.get(holder)?.get(key);
}

/** Tells a copy what is known of its original. Fields that the copy has another value for are its own. */
export function carryWritten(from: object, to: object): void {
  const known = written.get(from);
  if (known === undefined || from === to) return;
  const kept = written.get(to) ?? new Map<Key, string>();
  for (const [key, literal] of known) if (fieldOf(to, key) === fieldOf(from, key)) kept.set(key, literal);
  written.set(to, kept);
}

/** The same for a copy of the whole, as a parser makes it: wherever both have an object or array, down to the last. */
export function carryAll(from: unknown, to: unknown): void {
  if (!isHolder(from) || !isHolder(to) || !written.has(from) || from === to) return;
  carryWritten(from, to);
  for (const key of Object.keys(from)) carryAll(fieldOf(from, key), fieldOf(to, key));
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Tells an object that it was given a value of another one, under a key of its own. */
export function carryNumber(from: object, key: Key, to: object, toKey: Key): void {
  const literal = writtenAs(from, key);
  if (literal !== undefined) return keepWritten(to, toKey, literal);
  const value = fieldOf(from, key);
  if (isHolder(value) && written.has(value) && !written.has(to)) written.set(to, new Map());
}

/** The same object or array with long numbers as their digits, for what is written as text. */
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

/** `JSON.stringify` that writes long numbers as they were. */
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
