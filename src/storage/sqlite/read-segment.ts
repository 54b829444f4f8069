import type { CallRecord, CallStep, OutcomeKind, Surface } from '../../domain/call.ts';
import { firstStep, type Kind, kindFields, numbersPerStep, place, type Shared } from './call-segment.ts';

/** A call found in a segment, made into a record when it is asked for. */
export interface FoundCall {
  readonly startedAtMs: number;
  readonly kind: Kind;
  /** With the texts of its segment. */
  id(texts: string): string;
  record(texts: string): CallRecord;
}

/** The calls of a segment, in the order they were written. */
export function* readSegment(sharedText: string, numberBytes: ArrayBuffer): Generator<FoundCall> {
  const [kindRows, words] = JSON.parse(sharedText) as Shared;
  const kinds = kindRows.map(readKind);
  const numbers = new Float64Array(numberBytes);
  let textsAt = 0;
  for (let at = 0; at < numbers.length;) {
    const found = new StoredCall(numbers, at, kinds[numbers[at + place.kind]!]!, words, textsAt);
    yield found;
    textsAt = found.textsEnd;
    at = found.end;
  }
}

function readKind(values: Shared[0][number]): Kind {
  const kind: Partial<Record<keyof Kind, string | number | null>> = {};
  for (const [index, field] of kindFields.entries()) kind[field] = values[index]!;
  return kind as { surface: Surface; outcome: OutcomeKind } & Kind;
}

class StoredCall implements FoundCall {
  readonly kind: Kind;
  readonly #numbers: Float64Array;
  readonly #at: number;
  readonly #words: readonly string[];
  readonly #textsAt: number;

  constructor(numbers: Float64Array, at: number, kind: Kind, words: readonly string[], textsAt: number) {
    this.#numbers = numbers;
    this.#at = at;
    this.kind = kind;
    this.#words = words;
    this.#textsAt = textsAt;
  }

  get startedAtMs(): number {
    return this.#number(place.startedAtMs);
  }

  /** Where the next call's numbers begin. */
  get end(): number {
    return this.#at + firstStep + this.#number(place.steps) * numbersPerStep;
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

  id(texts: string): string {
    return texts.slice(this.#textsAt, this.#textsAt + this.#number(place.idLength));
  }

  record(texts: string): CallRecord {
    let at = this.#textsAt + this.#number(place.idLength);
    const next = (length: number): string | null => {
      if (length === -1) return null;
      at += length;
      return texts.slice(at - length, at);
    };
    const upstreamMs = this.#number(place.upstreamMs);
    return {
      id: this.id(texts),
      ...this.kind,
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
