import type { CallStep } from '../domain/call.ts';

/** Notes where the time of one call goes. Reads the monotonic clock, whatever clock the call itself is told. */
export class StepLog {
  readonly #startedAt = performance.now();
  readonly steps: CallStep[] = [];

  /** A moment to measure from. */
  now(): number {
    return performance.now();
  }

  /** Notes a step that began at `since` and ends now. */
  add(name: string, since: number, note?: string): void {
    const startMs = hundredths(since - this.#startedAt);
    const durationMs = hundredths(performance.now() - since);
    this.steps.push(note === undefined ? { name, startMs, durationMs } : { name, startMs, durationMs, note });
  }
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
