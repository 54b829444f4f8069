import { type CallRecord, isFailure } from '../../domain/call.ts';
import { storable } from '../call-rows.ts';
import {
  firstStep,
  type Kind,
  kindFields,
  numbersPerStep,
  place,
  type Segment,
  termFields,
  type TermField,
} from './call-segment.ts';
import {
  firstLayout,
  laterFieldNames,
  laterFields,
  type LaterFieldName,
  type LaterFields,
  laterTermNames,
  type LaterTermName,
  layoutOf,
  withoutLaterFields,
} from '../call-layout.ts';
import { arrayOr, objectOr } from '../../lib/json/plain-object.ts';

// Large enough that what a segment costs is little for each of its records, small enough to be written or opened within
// a few milliseconds.
export const maxRecords = 512;
export const maxTextBytes = 512 * 1024;

/**
 * Makes a segment, record by record. A record is written into place at once: one that is kept until later costs the
 * collector more than the writing, and has left the processor's caches by then.
 */
export class SegmentBuilder {
  #numbers = new Float64Array(16 * (firstStep + 4 * numbersPerStep));
  #numbersEnd = 0;
  #texts: Buffer = Buffer.allocUnsafeSlow(16 * 1024);
  #textsEnd = 0;
  #records = 0;
  #minId = '';
  #maxId = '';
  #firstMs = Infinity;
  #lastMs = -Infinity;
  #kinds = new Kinds();
  #words = new Map<string, number>();
  readonly #later = new LaterValues();

  get records(): number {
    return this.#records;
  }

  /** Whether a record is for the next segment. */
  isFullFor(record: CallRecord): boolean {
    if (this.#records === 0) return false;
    const length = (record.argumentsText?.length ?? 0) + (record.replyText?.length ?? 0);
    return this.#records === maxRecords || this.#textsEnd + length > maxTextBytes;
  }

  add(record: CallRecord): void {
    const id = storable(record.id);
    const argumentsText = storable(record.argumentsText);
    const replyText = storable(record.replyText);
    const requestLine = storable(record.requestLine);
    const message = storable(record.message);
    const startedAtMs = Math.round(record.startedAtMs);
    const { steps } = record;

    const at = this.#numbersEnd;
    const end = at + firstStep + steps.length * numbersPerStep;
    if (end > this.#numbers.length) this.#growNumbers(end);
    const numbers = this.#numbers;
    numbers[at + place.startedAtMs] = startedAtMs;
    numbers[at + place.kind] = this.#kinds.place(record);
    numbers[at + place.durationMs] = record.durationMs;
    numbers[at + place.upstreamMs] = record.upstreamMs ?? Number.NaN;
    numbers[at + place.tries] = record.tries;
    numbers[at + place.cached] = record.cached ? 1 : 0;
    numbers[at + place.requestBytes] = record.requestBytes;
    numbers[at + place.replyBytes] = record.replyBytes;
    numbers[at + place.outputTokens] = record.outputTokens;
    numbers[at + place.idLength] = id.length;
    numbers[at + place.argumentsLength] = argumentsText?.length ?? -1;
    numbers[at + place.replyLength] = replyText?.length ?? -1;
    numbers[at + place.requestLineLength] = requestLine?.length ?? -1;
    numbers[at + place.messageLength] = message?.length ?? -1;
    numbers[at + place.steps] = steps.length;
    let next = at + firstStep;
    for (const { name, startMs, durationMs, note } of steps) {
      numbers[next++] = this.#word(name);
      numbers[next++] = startMs;
      numbers[next++] = durationMs;
      numbers[next++] = note === undefined ? -1 : this.#word(note);
    }
    this.#numbersEnd = end;

    this.#write(id);
    if (argumentsText !== null) this.#write(argumentsText);
    if (replyText !== null) this.#write(replyText);
    if (requestLine !== null) this.#write(requestLine);
    if (message !== null) this.#write(message);
    this.#later.add(this.#records, record);

    if (this.#records === 0 || id < this.#minId) this.#minId = id;
    if (this.#records === 0 || id > this.#maxId) this.#maxId = id;
    if (startedAtMs < this.#firstMs) this.#firstMs = startedAtMs;
    if (startedAtMs > this.#lastMs) this.#lastMs = startedAtMs;
    this.#records++;
  }

  /** The segment so far, of at least one record. Its bytes are the builder's own until it is cleared. */
  build(): Segment {
    const { terms, failures } = this.#kinds.summary();
    return {
      layout: this.#later.layout,
      minId: this.#minId,
      maxId: this.#maxId,
      firstMs: this.#firstMs,
      lastMs: this.#lastMs,
      records: this.#records,
      failures,
      terms: `{${[...terms, ...this.#later.terms()].join()}}`,
      more: this.#later.text(),
      shared: `[${this.#kinds.text()},${JSON.stringify(Array.from(this.#words.keys(), storable))}]`,
      numbers: new Uint8Array(this.#numbers.buffer, 0, this.#numbersEnd * Float64Array.BYTES_PER_ELEMENT),
      texts: this.#texts.subarray(0, this.#textsEnd),
    };
  }

  /** Forgets everything but its memory, which the next segment fills again. */
  clear(): void {
    this.#numbersEnd = 0;
    this.#textsEnd = 0;
    this.#records = 0;
    this.#firstMs = Infinity;
    this.#lastMs = -Infinity;
    this.#kinds = new Kinds();
    this.#words = new Map();
    this.#later.clear();
  }

  #word(text: string): number {
    let word = this.#words.get(text);
    if (word === undefined) this.#words.set(text, (word = this.#words.size));
    return word;
  }

  #write(text: string): void {
    const bytes = Buffer.byteLength(text);
    const end = this.#textsEnd + bytes;
    if (end > this.#texts.length) this.#growTexts(end);
    // ASCII alone, as nearly always, is the same in Latin-1, which is written without looking at each character.
    this.#texts.write(text, this.#textsEnd, bytes, bytes === text.length ? 'latin1' : 'utf8');
    this.#textsEnd = end;
  }

  #growNumbers(atLeast: number): void {
    const larger = new Float64Array(Math.max(atLeast, this.#numbers.length * 2));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }

  #growTexts(atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, this.#texts.length * 2));
    this.#texts.copy(larger, 0, 0, this.#textsEnd);
    this.#texts = larger;
  }
}

/** The kinds of call in a segment under construction. Calls of one kind tend to follow each other. */
class Kinds {
  readonly #places = new Map<string, number>();
  readonly #examples: Kind[] = [];
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

  summary(): { readonly terms: string[]; readonly failures: number } {
    let failures = 0;
    const terms = termFields.map((field) => {
      const counts = new TermCounts();
      for (const [index, example] of this.#examples.entries())
        counts.add(valueOf(example, field), this.#counts[index]!);
      return counts.text(field);
    });
    for (const [index, example] of this.#examples.entries())
      if (isFailure(example.outcome)) failures += this.#counts[index]!;
    return { terms, failures };
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

/** Counts how many calls of a segment have which value of one field. */
export class TermCounts {
  readonly #counts = new Map<string, number>();

  add(value: string | number | boolean | null, calls: number): void {
    if (value === null) return;
    const text = String(value);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + calls);
  }

  /** Its part of the JSON of a segment's terms. */
  text(field: TermField): string {
    const counts = Array.from(this.#counts, ([value, count]) => `${JSON.stringify(value)}:${count}`);
    return `"${field}":{${counts.join()}}`;
  }
}

/** For each field, the calls that have it by their place in the segment. */
type Values = Partial<Record<LaterFieldName, [call: number, value: unknown][]>>;

/**
 * The fields that came after layout 1, of the calls of a segment under construction. Only calls that have such a field
 * take room for it: one without any costs what it did before the field was thought of.
 */
class LaterValues {
  #values: Values = {};
  #counts: Partial<Record<LaterTermName, TermCounts>> = {};
  #layout = firstLayout;

  get layout(): number {
    return this.#layout;
  }

  add(call: number, record: LaterFields): void {
    const layout = layoutOf(record);
    if (layout === firstLayout) return;
    if (layout > this.#layout) this.#layout = layout;
    for (const name of laterFieldNames)
      if (record[name] !== laterFields[name].absent)
        (this.#values[name] ??= []).push([call, storableValue(record[name])]);
    for (const name of laterTermNames)
      if (record[name] !== laterFields[name].absent)
        (this.#counts[name] ??= new TermCounts()).add(storableValue(record[name]), 1);
  }

  /** Null when no call has any. */
  text(): string | null {
    return this.#layout === firstLayout ? null : JSON.stringify(this.#values);
  }

  /** Their parts of the JSON of the segment's terms. */
  terms(): string[] {
    return laterTermNames.flatMap((name) => this.#counts[name]?.text(name) ?? []);
  }

  clear(): void {
    if (this.#layout === firstLayout) return;
    this.#values = {};
    this.#counts = {};
    this.#layout = firstLayout;
  }
}

/** Reads what `text` wrote: the later fields of a call by its place in the segment. */
export function readLaterValues(text: string | null): (call: number) => LaterFields {
  if (text === null) return () => withoutLaterFields;
  const values = objectOr(JSON.parse(text));
  const byCall = new Map<number, LaterFields>();
  for (const name of laterFieldNames)
    for (const entry of arrayOr(values[name])) {
      const [call, value] = arrayOr(entry);
      if (typeof call !== 'number') throw new Error(`The field ${name} of a segment is damaged.`);
      byCall.set(call, Object.assign({}, byCall.get(call) ?? withoutLaterFields, { [name]: value }));
    }
  return (call) => byCall.get(call) ?? withoutLaterFields;
}

function storableValue(value: LaterFields[LaterFieldName]): LaterFields[LaterFieldName] {
  return typeof value === 'string' ? storable(value) : value;
}
