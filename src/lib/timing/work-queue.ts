/** Limits how much work runs at the same time; the rest waits in a queue. */
export interface WorkQueue {
  /**
   * Runs the work when a slot is free. Callers get slots in rotation, and each caller's work runs in order.
   * Null if too much is already waiting, for this caller or overall.
   */
  run<T>(
    work: () => Promise<T>,
    options?: { readonly signal?: AbortSignal | undefined; readonly caller?: string },
  ): Promise<T> | null;
}

/** How much may run and wait at the same time: over all callers, and per caller unless one may use everything. */
interface TurnLimits {
  readonly running: number;
  readonly waiting: number;
  readonly runningEach?: number;
  readonly waitingEach?: number;
}

/** The work of one caller. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Creates a work queue. */
export function createWorkQueue(limits: TurnLimits): WorkQueue {
  const { runningEach = limits.running, waitingEach = limits.waiting } = limits;
  // In the order in which they get their next slot.
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;

  function takeTurn(caller: string, line: Line): void {
    running++;
    line.running++;
    // Goes to the end of the line.
    lines.delete(caller);
    lines.set(caller, line);
  }

  function startNext(): void {
    for (const [caller, line] of lines) {
      if (running >= limits.running) return;
      const start = line.running < runningEach ? line.waiting.shift() : undefined;
      if (start === undefined) continue;
      waiting--;
      // It is considered again at the end of the line, so that all free slots are used.
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
