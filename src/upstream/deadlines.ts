import type { Cancellation } from '../pipeline/call.ts';

/** Something that runs until it is done, its time is over, or its caller goes away. */
export abstract class TimedWork {
  abstract readonly deadlineMs: number;
  abstract readonly signal: Cancellation;
  /** Where `Deadlines` keeps it; -1 while it does not. */
  slot = -1;

  /** Ends it; called at most once. */
  abstract stop(why: 'deadline' | 'cancelled'): void;
}

const tickMs = 20;

/**
 * Watches over what is running with one timer for all. A timer and an abort listener for each call cost more than
 * the calls' own bookkeeping; looking at the few that are running fifty times a second costs next to nothing.
 *
 * A list whose items know their place, not a Set: when a Set that is always in use grows anew, its old table still
 * points to what it held and to its successor, and one such table in the old generation keeps every later call from
 * dying young. That made the collector's work the largest part of a call.
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
    // Backwards, because what ends gives its place to the last one, which was looked at already.
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
