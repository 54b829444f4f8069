import type { CallStep } from '../domain/call.ts';

/** Records where the time of one call goes. Always uses the monotonic clock, whatever clock the call uses. */
export class StepLog {
  readonly startedAt: number = performance.now();
  readonly steps: CallStep[] = [];

  /** The current time, to measure from. */
  now(): number {
    return performance.now();
  }

  /** Records a step from `since` to now; returns now, for the start of the next step. */
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
