import { readGivenSelect, SelectError } from '../../lib/json/select/select-part.ts';

/** Which part of a kept reply is requested. */
export interface PartRequest {
  /** An expression that `selectFrom` accepted. */
  readonly select?: string;
  readonly offset: number;
  readonly limit?: number;
  readonly search?: string;
}

/** A part of a reply, and where it is in the whole. */
export interface Part {
  readonly text: string;
  /** `records 10 to 19 of 500`, and how to get the next part. */
  readonly note: string;
}

/** Why a part can't be read as requested, in a sentence for the reader. */
export class PartError extends Error {}

/** Parses the arguments of a request for a part. */
export function readPartRequest(args: Readonly<Record<string, unknown>>): PartRequest {
  const { select, offset = 0, limit, search } = args;
  return {
    ...(select !== undefined && select !== null && { select: selectFrom(select) }),
    offset: wholeNumber('offset', offset ?? 0, 0),
    ...(limit !== undefined && limit !== null && { limit: wholeNumber('limit', limit, 1) }),
    ...(search !== undefined && search !== null && { search: searchFrom(search) }),
  };
}

/** Checks an expression that someone else wrote; a PartError says what is wrong with it. */
export function selectFrom(expression: unknown): string {
  if (typeof expression !== 'string' || expression === '')
    throw new PartError('select must be a JMESPath expression, such as items[].name.');
  try {
    readGivenSelect(expression);
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

/** Where a part is, and how to get the next one. */
export function placeNote(unit: string, offset: number, count: number, total: number): string {
  if (total === 0) return `[There are no ${unit}.]`;
  if (offset >= total) return `[There are ${total} ${unit}; the last has offset ${total - 1}.]`;
  const next = offset + count;
  const place = `${unit} ${offset} to ${next - 1} of ${total}`;
  return next >= total ? `[${place}: the end.]` : `[${place}. Continue with offset ${next}.]`;
}
