import type { CallRecord, CallStep, OutcomeKind, Surface } from '../../domain/call.ts';
import { storable } from '../call-rows.ts';

// Calls of one moment have much in common. A segment holds some hundred of them: what they agree in once, their figures
// as one JSON text, and their long texts one after the other.

/** What calls agree in, and are looked for by. */
const termFields = [
  'toolName',
  'toolId',
  'apiSlug',
  'serverSlug',
  'callerId',
  'clientName',
  'surface',
  'outcome',
  'upstreamStatus',
] as const satisfies readonly (keyof CallRecord)[];
export type TermField = (typeof termFields)[number];

const kindFields = [
  ...termFields,
  'callerLabel',
  'clientVersion',
] as const satisfies readonly (keyof CallRecord)[];
type Kind = Pick<CallRecord, (typeof kindFields)[number]>;
type KindValues = (string | number | null)[];

/** One call's own part: id, start, place of its kind, figures, lengths of its texts (-1 for null), steps. */
type Head = [
  id: string,
  startedAtMs: number,
  kind: number,
  durationMs: number,
  upstreamMs: number | null,
  tries: number,
  cached: 0 | 1,
  requestBytes: number,
  replyBytes: number,
  outputTokens: number,
  argumentsLength: number,
  replyLength: number,
  requestLineLength: number,
  messageLength: number,
  ...steps: [name: string, startMs: number, durationMs: number, note?: string][],
];
const firstStep = 14;

/** A segment as it is stored. */
export interface Segment {
  readonly minId: string;
  readonly maxId: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly records: number;
  /** How many of them did not end well. */
  readonly failures: number;
  /** JSON: for each field that calls are looked for by, how many have which value. */
  readonly terms: string;
  /** JSON: what calls agree in, and a head for each. */
  readonly heads: string;
  readonly texts: string;
}

/** Makes a segment of at least one record. */
export function writeSegment(records: readonly CallRecord[]): Segment {
  const kinds = new Kinds();
  const texts: string[] = [];
  const lengthOf = (text: string | null): number => {
    if (text === null) return -1;
    const kept = storable(text);
    texts.push(kept);
    return kept.length;
  };
  let minId = records[0]!.id;
  let maxId = minId;
  let firstMs = Infinity;
  let lastMs = -Infinity;
  let heads = '';
  for (const record of records) {
    const { id } = record;
    const startedAtMs = Math.round(record.startedAtMs);
    if (id < minId) minId = id;
    if (id > maxId) maxId = id;
    if (startedAtMs < firstMs) firstMs = startedAtMs;
    if (startedAtMs > lastMs) lastMs = startedAtMs;
    heads +=
      `${heads === '' ? '' : ','}["${id}",${startedAtMs},${kinds.place(record)},${record.durationMs},` +
      `${record.upstreamMs},${record.tries},${record.cached ? 1 : 0},${record.requestBytes},${record.replyBytes},` +
      `${record.outputTokens},${lengthOf(record.argumentsText)},${lengthOf(record.replyText)},` +
      `${lengthOf(record.requestLine)},${lengthOf(record.message)}${stepsText(record.steps)}]`;
  }
  const { terms, failures } = kinds.summary();
  return {
    minId,
    maxId,
    firstMs,
    lastMs,
    records: records.length,
    failures,
    terms,
    heads: `[${kinds.text()},[${heads}]]`,
    texts: texts.join(''),
  };
}

function stepsText(steps: readonly CallStep[]): string {
  let text = '';
  for (const { name, startMs, durationMs, note } of steps) {
    const end = note === undefined ? '' : `,${JSON.stringify(storable(note))}`;
    text += `,["${name}",${startMs},${durationMs}${end}]`;
  }
  return text;
}

/** The kinds of call in a segment under construction. Calls of one kind tend to follow each other. */
class Kinds {
  readonly #places = new Map<string, number>();
  readonly #examples: CallRecord[] = [];
  readonly #counts: number[] = [];
  #last = -1;

  place(record: CallRecord): number {
    if (this.#last === -1 || !sameKind(this.#examples[this.#last]!, record)) this.#last = this.#find(record);
    this.#counts[this.#last]!++;
    return this.#last;
  }

  #find(record: CallRecord): number {
    const text = JSON.stringify(kindFields.map((field) => valueOf(record, field)));
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.#examples.length);
    this.#counts.push(0);
    return this.#examples.push(record) - 1;
  }

  text(): string {
    return `[${[...this.#places.keys()].join()}]`;
  }

  summary(): { readonly terms: string; readonly failures: number } {
    let failures = 0;
    const terms = termFields.map((field) => {
      const counts = new Map<string, number>();
      for (const [place, example] of this.#examples.entries()) {
        const value = valueOf(example, field);
        if (value === null) continue;
        const text = String(value);
        counts.set(text, (counts.get(text) ?? 0) + this.#counts[place]!);
      }
      return `"${field}":{${Array.from(counts, ([value, count]) => `${JSON.stringify(value)}:${count}`).join()}}`;
    });
    for (const [place, example] of this.#examples.entries())
      if (example.outcome !== 'ok') failures += this.#counts[place]!;
    return { terms: `{${terms.join()}}`, failures };
  }
}

function sameKind(one: Kind, other: Kind): boolean {
  return (
    one.toolName === other.toolName &&
    one.callerId === other.callerId &&
    one.outcome === other.outcome &&
    one.upstreamStatus === other.upstreamStatus &&
    one.serverSlug === other.serverSlug &&
    one.clientName === other.clientName &&
    one.clientVersion === other.clientVersion &&
    one.surface === other.surface &&
    one.toolId === other.toolId &&
    one.apiSlug === other.apiSlug &&
    one.callerLabel === other.callerLabel
  );
}

function valueOf(record: Kind, field: (typeof kindFields)[number]): string | number | null {
  const value = record[field];
  return typeof value === 'string' ? storable(value) : value;
}

/** What a term looks like in `Segment.terms`, for looking without parsing. */
export function termText(value: string | number): string {
  return `${JSON.stringify(storable(String(value)))}:`;
}

/** How many calls of a segment have this value there. */
export function termCount(terms: string, field: TermField, value: string | number): number {
  const counts = (JSON.parse(terms) as Record<TermField, Record<string, number>>)[field];
  const text = storable(String(value));
  return Object.hasOwn(counts, text) ? counts[text]! : 0;
}

/** A call found in a segment, made into a record when it is asked for. */
export interface FoundCall {
  readonly id: string;
  readonly startedAtMs: number;
  readonly kind: Kind;
  /** Where its texts begin. */
  readonly textsAt: number;
  record(texts: string): CallRecord;
}

/** The calls of a segment, in the order they were written. */
export function* readSegment(headsText: string): Generator<FoundCall> {
  const [kindRows, heads] = JSON.parse(headsText) as [KindValues[], Head[]];
  const kinds = kindRows.map(readKind);
  let textsAt = 0;
  for (const head of heads) {
    const found = new StoredCall(head, kinds[head[2]]!, textsAt);
    yield found;
    textsAt = found.textsEnd;
  }
}

function readKind(values: KindValues): Kind {
  const kind: Partial<Record<keyof Kind, string | number | null>> = {};
  for (const [place, field] of kindFields.entries()) kind[field] = values[place]!;
  return kind as { surface: Surface; outcome: OutcomeKind } & Kind;
}

class StoredCall implements FoundCall {
  readonly kind: Kind;
  readonly textsAt: number;
  readonly #head: Head;

  constructor(head: Head, kind: Kind, textsAt: number) {
    this.#head = head;
    this.kind = kind;
    this.textsAt = textsAt;
  }

  get id(): string {
    return this.#head[0];
  }

  get startedAtMs(): number {
    return this.#head[1];
  }

  get textsEnd(): number {
    const head = this.#head;
    return (
      this.textsAt +
      Math.max(head[10], 0) +
      Math.max(head[11], 0) +
      Math.max(head[12], 0) +
      Math.max(head[13], 0)
    );
  }

  record(texts: string): CallRecord {
    const head = this.#head;
    let at = this.textsAt;
    const next = (length: number): string | null => {
      if (length === -1) return null;
      at += length;
      return texts.slice(at - length, at);
    };
    return {
      id: head[0],
      ...this.kind,
      startedAtMs: head[1],
      durationMs: head[3],
      upstreamMs: head[4],
      tries: head[5],
      cached: head[6] === 1,
      requestBytes: head[7],
      replyBytes: head[8],
      outputTokens: head[9],
      argumentsText: next(head[10]),
      replyText: next(head[11]),
      requestLine: next(head[12]),
      message: next(head[13]),
      steps: (head.slice(firstStep) as [string, number, number, string?][]).map(
        ([name, startMs, durationMs, note]) => ({
          name,
          startMs,
          durationMs,
          ...(note !== undefined && { note }),
        }),
      ),
    };
  }
}
