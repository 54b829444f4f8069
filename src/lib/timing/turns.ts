/** Runs at most some pieces of work at once; further ones wait for their turn, in order. */
export interface Turns {
  /** Runs the work when its turn comes; null when too many wait already. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> | null;
}

/** Makes turns for `most` pieces of work at once and `mostWaiting` that wait. */
export function createTurns(most: number, mostWaiting: number): Turns {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function taken<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (running < most) running++;
    // Whoever ends hands its turn over without giving it back.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    run: (work, signal) => (running >= most && waiting.length >= mostWaiting ? null : taken(work, signal)),
  };
}
