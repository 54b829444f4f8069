import type { Hangup } from '../pipeline/types.ts';

/** Something that runs until it is done, its time is over, or its caller goes away. */
export interface Running {
  readonly deadlineMs: number;
  readonly signal: Hangup;
  /** Ends it; called at most once. */
  stop(why: 'deadline' | 'cancelled'): void;
}

const tickMs = 20;

/**
 * Watches over what is running with one timer for all. A timer and an abort listener for each call cost more than
 * the calls' own bookkeeping; looking at the few that are running fifty times a second costs next to nothing.
 */
export class Deadlines {
  readonly #now: () => number;
  readonly #running = new Set<Running>();
  #timer: NodeJS.Timeout | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(running: Running): void {
    this.#running.add(running);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
  }

  delete(running: Running): void {
    this.#running.delete(running);
  }

  #tick(): void {
    if (this.#running.size === 0) {
      if (this.#timer !== null) clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    const now = this.#now();
    for (const running of this.#running) {
      const why = running.signal.aborted ? 'cancelled' : now >= running.deadlineMs ? 'deadline' : null;
      if (why !== null) {
        this.#running.delete(running);
        running.stop(why);
      }
    }
  }
}
