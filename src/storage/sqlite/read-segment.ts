import type { CallRecord, CallStep } from '../../domain/call.ts';
import { arrayOr, textsIn } from '../../lib/json/plain-object.ts';
import type { LaterFields } from '../call-layout.ts';
import { firstStep, type Kind, kindFields, numbersPerStep, place, type SegmentBody } from './call-segment.ts';
import { readLaterValues } from './segment-builder.ts';

/** A call found in a segment, made into a record when it is asked for. */
export interface FoundCall {
  readonly startedAtMs: number;
  readonly kind: Kind;
  /** What it has besides the fields of layout 1. */
  readonly later: LaterFields;
  readonly id: string;
  record(): CallRecord;
}

/** The calls of a segment, in the order they were written. Throws when it is damaged. */
export function readSegment({ shared, numbers: numberBytes, texts, more }: SegmentBody): FoundCall[] {
  const [kindRows, words] = readShared(shared);
  const kinds = kindRows.map(readKind);
  const laterOf = readLaterValues(more);
  const numbers = new Float64Array(numberBytes);
  const calls: FoundCall[] = [];
  let textsAt = 0;
  let at = 0;
  while (at < numbers.length) {
    const kind = kinds[numbers[at + place.kind]!];
    const steps = numbers[at + place.steps]!;
    if (kind === undefined || !(steps >= 0)) throw new Error(`Call ${calls.length} of a segment is damaged.`);
    const call = new StoredCall(numbers, at, kind, words, texts, textsAt, laterOf(calls.length));
    calls.push(call);
    textsAt = call.textsEnd;
    at += firstStep + steps * numbersPerStep;
  }
  if (at !== numbers.length || textsAt > texts.length) throw new Error('The end of a segment is missing.');
  return calls;
}

function readShared(text: string): [kinds: readonly unknown[], words: readonly string[]] {
  const [kinds, words] = arrayOr(JSON.parse(text));
  const known = textsIn(words);
  if (!Array.isArray(kinds) || known.length !== arrayOr(words).length)
    throw new Error('What the calls of a segment share is damaged.');
  return [kinds, known];
}

function readKind(values: unknown): Kind {
  if (arrayOr(values).length !== kindFields.length)
    throw new Error('A kind of calls of a segment is damaged.');
  const kind: Partial<Record<keyof Kind, unknown>> = {};
  for (const [index, field] of kindFields.entries()) kind[field] = arrayOr(values)[index];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each field, as segment-builder.ts wrote them
  return kind as Kind;
}

class StoredCall implements FoundCall {
  readonly kind: Kind;
  readonly later: LaterFields;
  readonly #numbers: Float64Array;
  readonly #at: number;
  readonly #words: readonly string[];
  readonly #texts: string;
  readonly #textsAt: number;

  constructor(
    numbers: Float64Array,
    at: number,
    kind: Kind,
    words: readonly string[],
    texts: string,
    textsAt: number,
    later: LaterFields,
  ) {
    this.#numbers = numbers;
    this.#at = at;
    this.kind = kind;
    this.#words = words;
    this.#texts = texts;
    this.#textsAt = textsAt;
    this.later = later;
  }

  get startedAtMs(): number {
    return this.#number(place.startedAtMs);
  }

  /** Where the next call's texts begin. */
  get textsEnd(): number {
    return (
      this.#textsAt +
      this.#number(place.idLength) +
      Math.max(this.#number(place.argumentsLength), 0) +
      Math.max(this.#number(place.replyLength), 0) +
      Math.max(this.#number(place.requestLineLength), 0) +
      Math.max(this.#number(place.messageLength), 0)
    );
  }

  get id(): string {
    return this.#texts.slice(this.#textsAt, this.#textsAt + this.#number(place.idLength));
  }

  record(): CallRecord {
    let at = this.#textsAt + this.#number(place.idLength);
    const next = (length: number): string | null => {
      if (length === -1) return null;
      at += length;
      return this.#texts.slice(at - length, at);
    };
    const upstreamMs = this.#number(place.upstreamMs);
    return {
      id: this.id,
      ...this.kind,
      ...this.later,
      startedAtMs: this.startedAtMs,
      durationMs: this.#number(place.durationMs),
      upstreamMs: Number.isNaN(upstreamMs) ? null : upstreamMs,
      tries: this.#number(place.tries),
      cached: this.#number(place.cached) === 1,
      requestBytes: this.#number(place.requestBytes),
      replyBytes: this.#number(place.replyBytes),
      outputTokens: this.#number(place.outputTokens),
      argumentsText: next(this.#number(place.argumentsLength)),
      replyText: next(this.#number(place.replyLength)),
      requestLine: next(this.#number(place.requestLineLength)),
      message: next(this.#number(place.messageLength)),
      steps: Array.from({ length: this.#number(place.steps) }, (_, index) => this.#step(index)),
    };
  }

  #number(offset: number): number {
    return this.#numbers[this.#at + offset]!;
  }

  #step(index: number): CallStep {
    const at = firstStep + index * numbersPerStep;
    const note = this.#number(at + 3);
    return {
      name: this.#words[this.#number(at)]!,
      startMs: this.#number(at + 1),
      durationMs: this.#number(at + 2),
      ...(note !== -1 && { note: this.#words[note]! }),
    };
  }
}
