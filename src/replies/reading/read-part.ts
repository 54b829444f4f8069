import { readSelect, SelectError } from '../../lib/json/select-part.ts';
import { tokenBound } from '../../lib/text/token-bound.ts';
import { inferShape } from './infer-shape.ts';
import { recordsIn } from './json-records.ts';
import { searchJson, searchLines } from './search-reply.ts';
import { linesIn } from './text-lines.ts';

/** What of a kept reply is asked for. */
export interface PartRequest {
  /** An expression that `selectFrom` took. */
  readonly select?: string;
  readonly offset: number;
  readonly limit?: number;
  readonly search?: string;
}

/** A part of a reply, and where it lies in the whole. */
export interface Part {
  readonly text: string;
  /** `records 10 to 19 of 500`, and how to go on. */
  readonly note: string;
}

/** What cannot be read as asked, in a sentence for whoever asked. */
export class PartError extends Error {}

/** Reads the arguments of a request for a part. */
export function readPartRequest(args: Readonly<Record<string, unknown>>): PartRequest {
  const { select, offset = 0, limit, search } = args;
  return {
    ...(select !== undefined && select !== null && { select: selectFrom(select) }),
    offset: wholeNumber('offset', offset ?? 0, 0),
    ...(limit !== undefined && limit !== null && { limit: wholeNumber('limit', limit, 1) }),
    ...(search !== undefined && search !== null && { search: searchFrom(search) }),
  };
}

/** Checks an expression that somebody else wrote; a PartError says what is wrong with it. */
export function selectFrom(expression: unknown): string {
  if (typeof expression !== 'string' || expression === '')
    throw new PartError('select must be a JMESPath expression, such as items[].name.');
  try {
    readSelect(expression);
    return expression;
  } catch (error) {
    if (error instanceof SelectError) throw new PartError(`select ${error.message}`, { cause: error });
    throw error;
  }
}

function searchFrom(search: unknown): string {
  if (typeof search === 'string' && search !== '') return search;
  throw new PartError('search must be the text to look for.');
}

function wholeNumber(name: string, value: unknown, least: number): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
  throw new PartError(`${name} must be a whole number, at least ${least}.`);
}

/** Reads a part of a text in at most `maxTokens`: of a list its records, of anything else its lines. */
export function readTextPart(whole: string, request: PartRequest, maxTokens: number): Part {
  const { select, search } = request;
  if (select === undefined && search === undefined && !mayBeJson(whole))
    return linesPart(whole, request, maxTokens);
  const parsed = parseJson(whole);
  if (select !== undefined && parsed === undefined)
    throw new PartError(
      'This reply is not JSON, so nothing can be selected from it: read it with offset and limit, or search.',
    );
  const value = select === undefined ? parsed : pick(select, parsed);
  if (search !== undefined) {
    const hits = value === undefined ? searchLines(whole, search) : searchJson(value, search);
    return listPart('hits', hits, request, maxTokens, (some) => some.join('\n'));
  }
  if (typeof value === 'string') return linesPart(value, request, maxTokens);
  const text = select === undefined ? whole : JSON.stringify(value ?? null);
  return Array.isArray(value)
    ? recordsPart(text, value, request, maxTokens)
    : linesPart(text, request, maxTokens);
}

/** What an expression selects of a text, as text; a PartError when it does not fit it. */
export function selectText(text: string, select: string): string {
  const value = parseJson(text);
  if (value === undefined) throw new PartError('the reply is not JSON');
  const selected = pick(select, value);
  return typeof selected === 'string' ? selected : JSON.stringify(selected);
}

function pick(select: string, value: unknown): unknown {
  try {
    return readSelect(select)(value) ?? null;
  } catch (error) {
    throw new PartError(
      `select does not fit this reply: ${error instanceof Error ? error.message : 'it cannot be evaluated'}.`,
      { cause: error },
    );
  }
}

function mayBeJson(text: string): boolean {
  return /^\s{0,100}[[{"\d\-tfn]/.test(text.slice(0, 200));
}

/** The value of a text; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function recordsPart(text: string, value: readonly unknown[], request: PartRequest, maxTokens: number): Part {
  const { starts, ends } = recordsIn(text);
  const { offset } = request;
  const records = {
    length: starts.length,
    at: (n: number) => text.slice(starts[n], ends[n]),
  };
  const count = howMany(records, request, maxTokens);
  if (count === 0 && offset < starts.length) {
    const shape = JSON.stringify(inferShape(value[offset], Math.floor(maxTokens / 2)));
    return {
      text: shape,
      note: `[Record ${offset} of ${starts.length} is too long to be shown at once; above is its shape. Select parts of it: … | [${offset}].field. The next record has offset ${offset + 1}.]`,
    };
  }
  const shown = Array.from({ length: count }, (_, n) => records.at(offset + n));
  return { text: `[${shown.join(',')}]`, note: placeNote('records', offset, count, starts.length) };
}

function linesPart(text: string, request: PartRequest, maxTokens: number): Part {
  const starts = linesIn(text);
  const lines = { length: starts.length - 1, at: (n: number) => text.slice(starts[n], starts[n + 1]) };
  const { offset } = request;
  const count = howMany(lines, request, maxTokens);
  const end = Math.min(offset + count, lines.length);
  return {
    text: offset >= lines.length ? '' : text.slice(starts[offset], starts[end]),
    note: placeNote('lines', offset, count, lines.length),
  };
}

function listPart(
  unit: string,
  items: readonly string[],
  request: PartRequest,
  maxTokens: number,
  join: (some: readonly string[]) => string,
): Part {
  const list = { length: items.length, at: (n: number) => items[n]! };
  const count = howMany(list, request, maxTokens);
  const { offset } = request;
  return {
    text: join(items.slice(offset, offset + count)),
    note: placeNote(unit, offset, count, items.length),
  };
}

/** How many items from the offset on fit. */
function howMany(
  items: { readonly length: number; at(n: number): string },
  { offset, limit = Infinity }: PartRequest,
  maxTokens: number,
): number {
  let count = 0;
  for (let left = maxTokens; count < limit && offset + count < items.length; count++) {
    const item = items.at(offset + count);
    // No token is shorter than a byte of it, and few are longer than twenty.
    if (item.length > left * 20) break;
    left -= tokenBound(item) + 1;
    if (left < 0) break;
  }
  return count;
}

/** Where a part lies, and how to go on. */
export function placeNote(unit: string, offset: number, count: number, total: number): string {
  if (total === 0) return `[There are no ${unit}.]`;
  if (offset >= total) return `[There are ${total} ${unit}; the last has offset ${total - 1}.]`;
  const next = offset + count;
  const place = `${unit} ${offset} to ${next - 1} of ${total}`;
  return next >= total ? `[${place}: the end.]` : `[${place}. Go on with offset ${next}.]`;
}
