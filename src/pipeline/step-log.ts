import type { CallStep } from '../domain/call.ts';

/** Notes where the time of one call goes. Reads the monotonic clock, whatever clock the call itself is told. */
export class StepLog {
  readonly startedAt: number = performance.now();
  readonly steps: CallStep[] = [];

  /** A moment to measure from. */
  now(): number {
    return performance.now();
  }

  /** Notes a step that began at `since` and ends now; returns now, when the next may begin. */
  add(name: string, since: number, note?: string): number {
    const now = performance.now();
    const startMs = hundredths(since - this.startedAt);
    const durationMs = hundredths(now - since);
    this.steps.push(note === undefined ? { name, startMs, durationMs } : { name, startMs, durationMs, note });
    return now;
  }
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
