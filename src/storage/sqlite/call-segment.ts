import type { CallRecord } from '../../domain/call.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { FirstFields, LaterTermName } from '../call-layout.ts';
import { storable } from '../call-rows.ts';

// Calls made around the same time have much in common. A segment holds a few hundred of them: shared values once, numbers
// in one array, and texts one after the other. This is layout 1, and it can no longer change. Fields added later are
// stored separately, see `laterFields` in call-layout.ts.

/** Values that calls share and are searched by. */
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

/** All values that calls share. */
export const kindFields = [
  ...termFields,
  'callerLabel',
  'clientVersion',
] as const satisfies readonly (keyof FirstFields)[];
export type Kind = Pick<CallRecord, (typeof kindFields)[number]>;

/** The position of each value among a call's numbers. The lengths are those of its texts, in order; -1 is null. */
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
  /** JSON of what its calls share: a list of their kinds, each with the values of `kindFields`, and a list of the words used in their steps. */
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
