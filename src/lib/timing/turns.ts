/** Runs at most some pieces of work at once; further ones wait for their turn. */
export interface Turns {
  /**
   * Runs the work when its turn comes. Callers take turns with each other, and the work of each runs in order. Null when
   * too much waits already, of this caller or of all.
   */
  run<T>(
    work: () => Promise<T>,
    options?: { readonly signal?: AbortSignal | undefined; readonly caller?: string },
  ): Promise<T> | null;
}

/** How much runs at once and how much waits: of all callers together, and of each unless it may take all. */
interface TurnLimits {
  readonly running: number;
  readonly waiting: number;
  readonly runningEach?: number;
  readonly waitingEach?: number;
}

/** Work of one caller. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Makes turns. */
export function createTurns(limits: TurnLimits): Turns {
  const { runningEach = limits.running, waitingEach = limits.waiting } = limits;
  // In the order in which they get their next turn.
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;

  function takeTurn(caller: string, line: Line): void {
    running++;
    line.running++;
    // Behind all others.
    lines.delete(caller);
    lines.set(caller, line);
  }

  function startNext(): void {
    for (const [caller, line] of lines) {
      if (running >= limits.running) return;
      const start = line.running < runningEach ? line.waiting.shift() : undefined;
      if (start === undefined) continue;
      waiting--;
      // It is looked at again at the end of the line, so that free turns are used up.
      takeTurn(caller, line);
      start();
    }
  }

  async function taken<T>(
    caller: string,
    line: Line,
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (running < limits.running && line.running < runningEach) takeTurn(caller, line);
    else {
      waiting++;
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    }
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      running--;
      line.running--;
      if (line.running === 0 && line.waiting.length === 0) lines.delete(caller);
      startNext();
    }
  }

  return {
    run(work, { signal, caller = '' } = {}) {
      const line = lines.get(caller) ?? { running: 0, waiting: [] };
      const mustWait = running >= limits.running || line.running >= runningEach;
      if (mustWait && (waiting >= limits.waiting || line.waiting.length >= waitingEach)) return null;
      lines.set(caller, line);
      return taken(caller, line, work, signal);
    },
  };
}
