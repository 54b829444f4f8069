import type { CallRecord } from '../../domain/call.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { FirstFields, LaterTermName } from '../call-layout.ts';
import { storable } from '../call-rows.ts';

// Calls of one moment have much in common. A segment holds some hundred of them: what they agree in once, their figures
// as numbers in a row, and their texts one after the other. That is layout 1, and what is said of it here cannot change
// any more. Fields that came later stand beside it, see later-values.ts.

/** What calls agree in, and are looked for by. */
export const termFields = [
  'toolName',
  'toolId',
  'apiSlug',
  'serverSlug',
  'callerId',
  'clientName',
  'surface',
  'outcome',
  'upstreamStatus',
] as const satisfies readonly (keyof FirstFields)[];

export type TermField = (typeof termFields)[number] | LaterTermName;

/** Everything that calls agree in. */
export const kindFields = [
  ...termFields,
  'callerLabel',
  'clientVersion',
] as const satisfies readonly (keyof FirstFields)[];
export type Kind = Pick<CallRecord, (typeof kindFields)[number]>;

/** Where each figure of a call stands among its numbers. The lengths are those of its texts, in their order; -1 is null. */
export const place = {
  startedAtMs: 0,
  kind: 1,
  durationMs: 2,
  /** NaN is null. */
  upstreamMs: 3,
  tries: 4,
  cached: 5,
  requestBytes: 6,
  replyBytes: 7,
  outputTokens: 8,
  idLength: 9,
  argumentsLength: 10,
  replyLength: 11,
  requestLineLength: 12,
  messageLength: 13,
  steps: 14,
} as const;

/** Where a call's steps begin. Each has the word of its name, its start, its duration and the word of its note, or -1. */
export const firstStep = 15;
export const numbersPerStep = 4;

/** The calls of a segment as they are stored. */
export interface SegmentBody {
  /** JSON of what its calls share: a list of their kinds, each with the values of `kindFields`, and one of the words that their steps are told in. */
  readonly shared: string;
  /** Doubles in the machine's own order of bytes. */
  readonly numbers: ArrayBuffer;
  readonly texts: string;
  /** JSON of the fields that came after layout 1; null when no call has any. */
  readonly more: string | null;
}

/** A segment as it is written. */
export interface Segment extends Pick<SegmentBody, 'shared' | 'more'> {
  /** The oldest layout that holds its calls. */
  readonly layout: number;
  readonly minId: string;
  readonly maxId: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly records: number;
  /** How many of them did not end well. */
  readonly failures: number;
  /** JSON: for each field that calls are looked for by, how many have which value. */
  readonly terms: string;
  readonly numbers: Uint8Array;
  /** In UTF-8. */
  readonly texts: Uint8Array;
}

/** What a term looks like in `Segment.terms`, for looking without parsing. */
export function termText(value: string | number): string {
  return `${JSON.stringify(storable(String(value)))}:`;
}

/** How many calls of a segment have this value there. */
export function termCount(terms: string, field: TermField, value: string | number): number {
  const counts = objectOr(objectOr(JSON.parse(terms))[field]);
  const text = storable(String(value));
  const count = Object.hasOwn(counts, text) ? counts[text] : 0;
  return typeof count === 'number' ? count : 0;
}
