import type { Outcome } from './types.ts';

/** What a model read of a reply that it did not read whole. */
export interface ReadReply {
  /** Estimated as what the API sent is. */
  readonly tokens: number;
  readonly text: string;
  /** What the records of the reply look like, as JSON; null when it has none. */
  readonly outline: string | null;
}

/**
 * What becomes of outcomes on their way to a model. A surface says so after the call, and its record wants to know: so
 * the outcome itself is the key, and it is looked up only for replies that are longer than the smallest budget.
 */
export interface Readings {
  /** Null when it was read whole after all. Never rejects. */
  of(outcome: Outcome): Promise<ReadReply | null> | undefined;
  set(outcome: Outcome, reading: Promise<ReadReply | null>): void;
}

export function createReadings(): Readings {
  const readings = new WeakMap<Outcome, Promise<ReadReply | null>>();
  return {
    of: (outcome) => readings.get(outcome),
    set: (outcome, reading) => void readings.set(outcome, reading),
  };
}
