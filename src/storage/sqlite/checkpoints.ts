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

/**
 * Makes the checkpoints of a database file, each between two marks (in-use-mark.ts). The thread starts when there is first
 * something to do.
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

  async function run(): Promise<void> {
    try {
      thread ??= openInThread(file);
      await mark('partial');
      // Passive: it doesn't wait for readers or writers, and they don't wait for it.
      await thread.run('pragma wal_checkpoint(passive)');
      await mark('whole');
    } catch {
      // The journal stays a little longer: the next round, or the connection itself, moves it.
      await thread?.close();
      thread = null;
    }
  }

  function start(): void {
    if (closed) return;
    // One that has started may miss what was just written.
    isWanted = running !== null;
    if (isWanted) return;
    written = 0;
    running = run().finally(() => {
      running = null;
      if (isWanted) start();
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
      await thread?.close();
    },
  };
}
