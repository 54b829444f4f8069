import type { WorkBudget } from '../../work-budget.ts';
import { isObject, type PlainObject } from '../plain-object.ts';
import { charactersOf, compareText, elementBytes, memberBytes, setMember } from './values.ts';
import { writeJson } from './write-json.ts';

/** What a function needs from the evaluation that calls it. */
interface Evaluation {
  readonly budget: WorkBudget;
  /** Whether a value is an expression, `&name`. */
  isReference(value: object): boolean;
  /** Applies an expression, `&name`, to a value. */
  apply(reference: object, value: unknown): unknown;
}

type Kind = 'number' | 'string' | 'array' | 'object' | 'boolean' | 'expression' | 'null';
type Accepted = Kind | 'any' | 'Array<number>' | 'Array<string>' | 'Array<Array<any>>';

// oxlint-disable-next-line typescript/no-explicit-any -- arguments are checked against the function's parameters
type Run = (evaluation: Evaluation, ...args: any[]) => unknown;

/** A JMESPath function: what it takes and what it does. */
interface SelectFunction {
  /** The types each argument may have; if the function is variadic, the last one repeats. */
  readonly takes: readonly (readonly Accepted[])[];
  readonly min: number;
  readonly max: number;
  readonly run: Run;
}

function taking(takes: readonly (Accepted | readonly Accepted[])[], run: Run, optional = 0): SelectFunction {
  const lists = takes.map((each) => (typeof each === 'string' ? [each] : each));
  return { takes: lists, min: lists.length - optional, max: lists.length, run };
}

function repeating(takes: Accepted, run: Run): SelectFunction {
  return { takes: [[takes]], min: 1, max: Infinity, run };
}

const textTwice = ['string', 'string'] as const;
const find = [...textTwice, 'number', 'number'] as const;
const pad = ['string', 'number', 'string'] as const;
const ordered = ['Array<number>', 'Array<string>'] as const;
const byKey = ['array', 'expression'] as const;

/** The functions of JMESPath; a test compares this table with the library's. */
export const selectFunctions: ReadonlyMap<string, SelectFunction> = new Map<string, SelectFunction>([
  ['abs', taking(['number'], (_, value: number) => Math.abs(value))],
  [
    'avg',
    taking(['Array<number>'], (_, values: number[]) =>
      values.length === 0 ? null : total(values) / values.length,
    ),
  ],
  ['ceil', taking(['number'], (_, value: number) => Math.ceil(value))],
  ['contains', taking([['string', 'array'], 'any'], contains)],
  [
    'ends_with',
    taking(
      textTwice,
      ({ budget }, text: string, end: string) => (budget.spend(end.length / 64), text.endsWith(end)),
    ),
  ],
  ['find_first', taking(find, (evaluation, ...given: Find) => findIn(evaluation, 'indexOf', given), 2)],
  ['find_last', taking(find, (evaluation, ...given: Find) => findIn(evaluation, 'lastIndexOf', given), 2)],
  ['floor', taking(['number'], (_, value: number) => Math.floor(value))],
  ['from_items', taking(['Array<Array<any>>'], fromItems)],
  ['group_by', taking(byKey, groupBy)],
  [
    'items',
    taking(['object'], ({ budget }, value: PlainObject) => {
      const entries = Object.entries(value);
      budget.spend(entries.length, 3 * elementBytes * entries.length);
      return entries;
    }),
  ],
  ['join', taking(['string', 'Array<string>'], join)],
  ['keys', taking(['object'], ({ budget }, value: PlainObject) => paid(Object.keys(value), budget))],
  ['length', taking([['string', 'array', 'object']], lengthOf)],
  ['lower', taking(['string'], ({ budget }, text: string) => written(text.toLowerCase(), budget))],
  [
    'map',
    taking(['expression', 'array'], (evaluation, key: object, items: unknown[]) => {
      evaluation.budget.spend(0, elementBytes * items.length);
      return items.map((item) => evaluation.apply(key, item));
    }),
  ],
  ['max', taking([ordered], (evaluation, values: Ordered) => extreme(evaluation, values, Math.max, 1))],
  [
    'max_by',
    taking(byKey, (evaluation, items: unknown[], key: object) => extremeBy(evaluation, items, key, 1)),
  ],
  ['merge', repeating('object', merge)],
  ['min', taking([ordered], (evaluation, values: Ordered) => extreme(evaluation, values, Math.min, -1))],
  [
    'min_by',
    taking(byKey, (evaluation, items: unknown[], key: object) => extremeBy(evaluation, items, key, -1)),
  ],
  ['not_null', repeating('any', (_, ...values: unknown[]) => values.find((value) => value !== null) ?? null)],
  ['pad_left', taking(pad, (evaluation, ...given: Pad) => padded(evaluation, 'pad_left', given), 1)],
  ['pad_right', taking(pad, (evaluation, ...given: Pad) => padded(evaluation, 'pad_right', given), 1)],
  ['replace', taking(['string', 'string', 'string', 'number'], replace, 1)],
  [
    'reverse',
    taking([['string', 'array']], ({ budget }, value: string | unknown[]) => {
      if (typeof value !== 'string') return paid(value.toReversed(), budget);
      budget.spend(value.length, elementBytes * value.length);
      return [...value].toReversed().join('');
    }),
  ],
  ['sort', taking([['Array<string>', 'Array<number>']], sort)],
  ['sort_by', taking(byKey, sortBy)],
  ['split', taking(['string', 'string', 'number'], split, 1)],
  [
    'starts_with',
    taking(
      textTwice,
      ({ budget }, text: string, start: string) => (budget.spend(start.length / 64), text.startsWith(start)),
    ),
  ],
  ['sum', taking(['Array<number>'], (_, values: number[]) => total(values))],
  [
    'to_array',
    taking(['any'], ({ budget }, value: unknown) => (Array.isArray(value) ? value : paid([value], budget))),
  ],
  ['to_number', taking(['any'], toNumber)],
  [
    'to_string',
    taking(['any'], ({ budget }, value: unknown) =>
      typeof value === 'string' ? value : writeJson(value, budget),
    ),
  ],
  [
    'trim',
    taking(
      textTwice,
      (evaluation, text: string, set?: string) => trimmed(evaluation, text, set, true, true),
      1,
    ),
  ],
  [
    'trim_left',
    taking(
      textTwice,
      (evaluation, text: string, set?: string) => trimmed(evaluation, text, set, true, false),
      1,
    ),
  ],
  [
    'trim_right',
    taking(
      textTwice,
      (evaluation, text: string, set?: string) => trimmed(evaluation, text, set, false, true),
      1,
    ),
  ],
  [
    'type',
    taking(['any'], (evaluation, value: unknown) => {
      const kind = kindOf(value, evaluation);
      if (kind === 'expression') throw new Error('invalid-type');
      return kind;
    }),
  ],
  ['upper', taking(['string'], ({ budget }, text: string) => written(text.toUpperCase(), budget))],
  ['values', taking(['object'], ({ budget }, value: PlainObject) => paid(Object.values(value), budget))],
  ['zip', repeating('array', zip)],
]);

type Ordered = readonly number[] | readonly string[];
type Find = [text: string, wanted: string, start?: number, end?: number];
type Pad = [text: string, width: number, padding?: string];

/** Calls a function with its evaluated arguments. */
export function callFunction(name: string, args: readonly unknown[], evaluation: Evaluation): unknown {
  const called = selectFunctions.get(name);
  if (called === undefined) throw new Error(`Unknown function: ${name}()`);
  const { takes, min, max, run } = called;
  if (args.length < min || args.length > max)
    throw new Error(`Invalid arity: ${name}() takes ${argumentCount(called)} but received ${args.length}`);
  // Only the first of a variadic argument is checked, as in the library: the others may be null.
  for (const [at, accepted] of takes.slice(0, args.length).entries()) {
    const kind = kindOf(args[at], evaluation);
    if (!accepted.some((each) => isAccepted(each, kind, args[at], evaluation)))
      throw new Error(
        `Invalid type: ${name}() expected argument ${at + 1} to be type (${accepted.join(' | ')}) but received type ${kind} instead.`,
      );
  }
  return run(evaluation, ...args);
}

/** How many arguments a function takes, as text. */
export function argumentCount({ min, max }: Pick<SelectFunction, 'min' | 'max'>): string {
  if (max === Infinity) return `${min} argument or more`;
  return min === max ? `${min} argument${min === 1 ? '' : 's'}` : `${min} to ${max} arguments`;
}

function kindOf(value: unknown, evaluation: Evaluation): Kind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return evaluation.isReference(value) ? 'expression' : 'object';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only JSON type left
  return typeof value as 'number' | 'string' | 'boolean';
}

const itemKinds = {
  'Array<number>': 'number',
  'Array<string>': 'string',
  'Array<Array<any>>': 'array',
} as const;

function isAccepted(accepted: Accepted, kind: Kind, value: unknown, evaluation: Evaluation): boolean {
  if (accepted === 'any' || accepted === kind) return true;
  if (kind !== 'array' || !(accepted in itemKinds)) return false;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above
  const [items, wanted] = [value as unknown[], itemKinds[accepted as keyof typeof itemKinds]];
  evaluation.budget.spend(items.length);
  return items.every((item) => kindOf(item, evaluation) === wanted);
}

/** Charges for a list that is no longer than the one it was made from. */
function paid(made: readonly unknown[], budget: WorkBudget): readonly unknown[] {
  budget.spend(made.length, elementBytes * made.length);
  return made;
}

/** Charges for a text that is not much longer than the one it was made from. */
function written(made: string, budget: WorkBudget): string {
  budget.spend(made.length / 16, made.length);
  return made;
}

/** Charges for searching a text. A search may compare every position with every character of the searched text. */
function paySearch(text: string, wanted: string, budget: WorkBudget): void {
  budget.spend(text.length / 16 + (text.length * Math.max(0, wanted.length - 1)) / 128);
}

function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function contains(
  { budget }: Evaluation,
  where: string | readonly unknown[],
  wanted: unknown,
): boolean | null {
  if (typeof where !== 'string') {
    budget.spend(where.length);
    return where.includes(wanted);
  }
  if (typeof wanted !== 'string') return null;
  paySearch(where, wanted, budget);
  return where.includes(wanted);
}

function findIn(
  { budget }: Evaluation,
  search: 'indexOf' | 'lastIndexOf',
  [text, wanted, start, end]: Find,
): number | null {
  if (text === '' || wanted === '') return null;
  const from = Math.max(wholeNumber(start || 0), 0);
  const to = Math.min(wholeNumber(end || text.length), text.length);
  paySearch(text, wanted, budget);
  const at = text.slice(from, to)[search](wanted);
  return at === -1 ? null : at + from;
}

function wholeNumber(value: number): number {
  if (Math.floor(value) !== value) throw new Error('invalid-value: expecting an integer.');
  return value;
}

function count(value: number): number {
  if (value < 0 || Math.floor(value) !== value)
    throw new Error('invalid-value: expecting a non-negative integer.');
  return value;
}

function fromItems({ budget }: Evaluation, pairs: readonly (readonly unknown[])[]): unknown {
  budget.spend(pairs.length, memberBytes * pairs.length);
  const made = {};
  for (const pair of pairs) {
    const [key, value] = pair;
    if (typeof key !== 'string' || pair.length !== 2)
      throw new Error('invalid value, each array must contain two elements, a pair of string and value');
    setMember(made, key, value);
  }
  return made;
}

function groupBy(evaluation: Evaluation, items: readonly unknown[], key: object): unknown {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above
    const name = keyOf(evaluation, key, item ?? {}, ['string']) as string;
    evaluation.budget.spend(1, elementBytes);
    const group = groups.get(name);
    if (group !== undefined) group.push(item);
    else {
      evaluation.budget.spend(1, memberBytes);
      groups.set(name, [item]);
    }
  }
  return Object.fromEntries(groups);
}

function keyOf(
  evaluation: Evaluation,
  key: object,
  item: unknown,
  accepted: readonly Kind[],
): number | string {
  const found = evaluation.apply(key, item);
  const kind = kindOf(found, evaluation);
  if (!accepted.includes(kind))
    throw new Error(`Invalid type: expected one of (${accepted.join(' | ')}), received ${kind}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked just now
  return found as number | string;
}

function join({ budget }: Evaluation, glue: string, texts: readonly string[]): string {
  let length = glue.length * Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  budget.spend(texts.length + length / 16, length);
  return texts.join(glue);
}

function lengthOf({ budget }: Evaluation, value: string | readonly unknown[] | PlainObject): number {
  if (typeof value === 'string') return charactersOf(value, budget).length;
  if (!isObject(value)) return value.length;
  const { length } = Object.keys(value);
  budget.spend(length / 8);
  return length;
}

function extreme(
  { budget }: Evaluation,
  values: Ordered,
  pick: (a: number, b: number) => number,
  sign: 1 | -1,
): unknown {
  budget.spend(values.length);
  if (typeof values[0] !== 'string') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all have the type of the first
    return values.length === 0 ? null : (values as readonly number[]).reduce((a, b) => pick(a, b));
  }
  let best = values[0];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all have the type of the first
  for (const value of values as readonly string[]) {
    budget.spend(4 + Math.min(value.length, best.length) / 4);
    if (value.localeCompare(best) * sign > 0) best = value;
  }
  return best;
}

function extremeBy(evaluation: Evaluation, items: readonly unknown[], key: object, sign: 1 | -1): unknown {
  let best: number | string = sign === 1 ? -Infinity : Infinity;
  let found: unknown = null;
  for (const item of items) {
    const current = keyOf(evaluation, key, item, ['number', 'string']);
    if (typeof current === 'string') evaluation.budget.spend(current.length / 64);
    if (sign === 1 ? current > best : current < best) {
      best = current;
      found = item;
    }
  }
  return found || null;
}

function merge({ budget }: Evaluation, ...values: readonly unknown[]): unknown {
  const made = {};
  for (const value of values) {
    const entries = Object.entries(value ?? {});
    budget.spend(entries.length, memberBytes * entries.length);
    for (const [key, member] of entries) setMember(made, key, member);
  }
  return made;
}

function padded({ budget }: Evaluation, name: 'pad_left' | 'pad_right', [text, width, given]: Pad): string {
  const padding = given || ' ';
  if (padding.length > 1)
    throw new Error(
      `invalid value, ${name} expects its 'pad' parameter to be a valid string with a single codepoint`,
    );
  count(width);
  if (text === '') return '';
  const length = Math.max(width, text.length);
  budget.spend(length / 16, length);
  return name === 'pad_left' ? text.padStart(width, padding) : text.padEnd(width, padding);
}

/**
 * Counts how often a text occurs in another. Charged per occurrence, because the result may be far longer than
 * both.
 */
function occurrences(text: string, wanted: string, bytesEach: number, budget: WorkBudget): number {
  if (wanted === '') {
    budget.spend(text.length, bytesEach * text.length);
    return text.length;
  }
  paySearch(text, wanted, budget);
  let found = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    budget.spend(1, bytesEach);
    found++;
  }
  return found;
}

const pieceBytes = 2 * elementBytes;

function replace({ budget }: Evaluation, text: string, wanted: string, by: string, times?: number): string {
  if (times === 0) return text;
  // Also true for NaN.
  if (!times) {
    occurrences(text, wanted, pieceBytes + by.length, budget);
    budget.spend(text.length / 16, text.length);
    return text.split(wanted).join(by);
  }
  count(times);
  // Patterns such as $' insert the text before or after the match, every time.
  const signs = by.split('$').length - 1;
  let replaced = text;
  for (let done = 0; done < times; done++) {
    paySearch(replaced, wanted, budget);
    if (!replaced.includes(wanted)) break;
    const length = replaced.length * (1 + signs) + by.length;
    budget.spend(1 + length / 16, length);
    replaced = replaced.replace(wanted, by);
  }
  return replaced;
}

function split({ budget }: Evaluation, text: string, by: string, times?: number): readonly string[] {
  if (text === '' && by === '') return [];
  if (times !== undefined && count(times) === 0) return [text];
  occurrences(text, by, pieceBytes, budget);
  budget.spend(text.length / 16, text.length);
  const pieces = text.split(by);
  return times === undefined ? pieces : [...pieces.slice(0, times), pieces.slice(times).join(by)];
}

function sort({ budget }: Evaluation, values: Ordered): readonly unknown[] {
  if (values.length === 0) return values;
  budget.spend(values.length, elementBytes * values.length);
  if (typeof values[0] === 'string')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all have the type of the first
    return (values as readonly string[]).toSorted((a, b) => compareText(a, b, budget));
  budget.spend(2 * values.length * Math.log2(values.length + 1), pieceBytes * values.length);
  // The library sorts numbers by their digits, and so does this.
  // oxlint-disable-next-line unicorn/require-array-sort-compare, typescript/require-array-sort-compare, typescript/no-unsafe-type-assertion
  return (values as readonly number[]).toSorted();
}

function sortBy(evaluation: Evaluation, items: readonly unknown[], key: object): readonly unknown[] {
  const { budget } = evaluation;
  if (items.length === 0) return items;
  budget.spend(items.length, memberBytes * items.length);
  let kind: Kind | null = null;
  const keyed = items.map((item) => {
    const found = evaluation.apply(key, item);
    const own = kindOf(found, evaluation);
    if (kind === null && own !== 'number' && own !== 'string')
      throw new Error(`Invalid type: unexpected type (${own})`);
    kind ??= own;
    if (own !== kind) throw new Error(`Invalid type: expected (${kind}), received ${own}`);
    return { item, found };
  });
  keyed.sort(({ found: a }, { found: b }) => {
    if (typeof a === 'string' && typeof b === 'string') return compareText(a, b, budget);
    budget.spend(1);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all have one type
    return (a as number) - (b as number);
  });
  return keyed.map(({ item }) => item);
}

function toNumber({ budget }: Evaluation, value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  budget.spend(value.length / 4);
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

const blank = /[\s\u0085]/;

function trimmed(
  { budget }: Evaluation,
  text: string,
  set: string | undefined,
  fromLeft: boolean,
  fromRight: boolean,
): string {
  budget.spend((set?.length ?? 0) + text.length / 8, text.length);
  // By UTF-16 units: a set with a surrogate pair removes each half separately.
  const units = set ? unitsOf(set) : null;
  const isRemoved = (unit: string): boolean => (units === null ? blank.test(unit) : units.has(unit));
  let [from, to] = [0, text.length];
  if (fromRight) while (to > 0 && isRemoved(text[to - 1]!)) to--;
  if (fromLeft) while (from < to && isRemoved(text[from]!)) from++;
  return text.slice(from, to);
}

function unitsOf(text: string): ReadonlySet<string> {
  const units = new Set<string>();
  for (let at = 0; at < text.length; at++) units.add(text[at]!);
  return units;
}

function zip({ budget }: Evaluation, ...lists: readonly unknown[]): unknown {
  const columns = lists.map((list) => {
    if (typeof list === 'string' || Array.isArray(list)) return list as string | readonly unknown[];
    throw new Error('Invalid type: zip() expected every argument to be type (array)');
  });
  const length = Math.min(...columns.map((column) => column.length));
  budget.spend(length * columns.length, elementBytes * length * (columns.length + 1));
  return Array.from({ length }, (_, at) => columns.map((column) => column[at]));
}
