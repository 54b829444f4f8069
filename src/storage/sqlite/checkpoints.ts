import { openInThread, type ThreadConnection } from './connection-in-thread.ts';

/** Moves the journal into the database file, off the thread that serves calls. */
export interface Checkpoints {
  /** Counts the bytes that were written: every few megabytes, it is time. */
  wrote(bytes: number): void;
  /** Makes one without waiting for more to be written. */
  start(): void;
  close(): Promise<void>;
}

const bytesBetween = 10_000_000;
// An idle gateway doesn't need the memory of a thread.
const idleMs = 10_000;

/**
 * Makes the checkpoints of a database file, each between two marks (in-use-mark.ts). The thread starts when there is
 * something to do and ends when it is idle.
 */
export function createCheckpoints(
  file: string,
  mark: (as: 'partial' | 'whole') => Promise<void>,
): Checkpoints {
  let written = 0;
  let thread: ThreadConnection | null = null;
  let running: Promise<void> | null = null;
  let isWanted = false;
  let closed = false;
  let idle: NodeJS.Timeout | undefined;
  let ending: Promise<void> = Promise.resolve();

  function endThread(): Promise<void> {
    const ended = thread;
    thread = null;
    if (ended !== null) ending = Promise.all([ending, ended.close()]).then(() => undefined);
    return ending;
  }

  async function run(): Promise<void> {
    try {
      thread ??= openInThread(file);
      await mark('partial');
      // Passive: it doesn't wait for readers or writers, and they don't wait for it.
      await thread.run('pragma wal_checkpoint(passive)');
      await mark('whole');
    } catch {
      // The journal stays a little longer: the next round, or the connection itself, moves it.
      await endThread();
    }
  }

  function start(): void {
    if (closed) return;
    // One that has started may miss what was just written.
    isWanted = running !== null;
    if (isWanted) return;
    clearTimeout(idle);
    written = 0;
    running = run().finally(() => {
      running = null;
      if (isWanted) start();
      else idle = setTimeout(() => void endThread(), idleMs).unref();
    });
  }

  return {
    wrote(bytes) {
      written += bytes;
      if (written >= bytesBetween) start();
    },
    start,
    async close() {
      closed = true;
      await running;
      clearTimeout(idle);
      await endThread();
    },
  };
}
