import type { Cancellation } from '../pipeline/call.ts';

/** Work that runs until it is done, its deadline passes, or its caller disconnects. */
export abstract class TimedWork {
  abstract readonly deadlineMs: number;
  abstract readonly signal: Cancellation;
  /** Its index in `Deadlines`; -1 while it is not there. */
  slot = -1;

  /** Ends it; called at most once. */
  abstract stop(why: 'deadline' | 'cancelled'): void;
}

const tickMs = 20;

/**
 * Watches all running work with one timer. A timer and an abort listener per call would cost more than the rest of its
 * bookkeeping; checking the few running calls fifty times a second costs almost nothing.
 *
 * A list whose items know their index, not a Set: when a long-lived Set is rehashed, its old table still points to its
 * former contents and to its successor, and one such table in the old generation keeps every later call from being
 * collected young. That made garbage collection the largest cost of a call.
 */
export class Deadlines {
  readonly now: () => number;
  readonly #running: TimedWork[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(now: () => number) {
    this.now = now;
  }

  add(running: TimedWork): void {
    running.slot = this.#running.push(running) - 1;
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
  }

  delete(running: TimedWork): void {
    const { slot } = running;
    if (slot === -1) return;
    running.slot = -1;
    const last = this.#running.pop()!;
    if (last === running) return;
    this.#running[slot] = last;
    last.slot = slot;
  }

  #tick(): void {
    if (this.#running.length === 0) {
      if (this.#timer !== null) clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    const now = this.now();
    // Backwards, because removal moves the last item, already checked, into the freed slot.
    for (let slot = this.#running.length - 1; slot >= 0; slot--) {
      const running = this.#running[slot];
      if (running === undefined) continue;
      const why = running.signal.aborted ? 'cancelled' : now >= running.deadlineMs ? 'deadline' : null;
      if (why === null) continue;
      this.delete(running);
      running.stop(why);
    }
  }
}
