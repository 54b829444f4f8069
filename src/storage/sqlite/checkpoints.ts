import { openInThread } from './connection-in-thread.ts';
import type { StatementRunner } from './driver.ts';

/** Moves the journal of call records into the database file, off the thread that serves calls. */
export interface Checkpoints {
  /** Hears how many records were written. */
  wrote(records: number): void;
  /** Hears how many bytes of kept replies were written. */
  wroteBytes(bytes: number): void;
  close(): Promise<void>;
}

// About ten megabytes of journal.
const recordsBetween = 5_000;
const bytesOfARecord = 2_000;

/**
 * For the connection that writes call records: it would copy the journal itself every few thousand calls and wait for
 * the disk, and every call with it. This is where it stops waiting for the thread, should that fail.
 */
export const checkpointPragma = 'pragma wal_autocheckpoint = 16000';

/** Makes the checkpoints of a database file. The thread starts when there is first something to do. */
export function createCheckpoints(file: string): Checkpoints {
  let written = 0;
  let thread: StatementRunner | null = null;
  let running: Promise<void> | null = null;
  let closed = false;

  async function run(): Promise<void> {
    try {
      thread ??= openInThread(file);
      // Passive: it waits for nobody and lets everybody go on.
      await thread.run('pragma wal_checkpoint(passive)', []);
    } catch {
      // The journal stays a little longer: the next round, or the connection itself, moves it.
      await thread?.close();
      thread = null;
    }
  }

  function wrote(records: number): void {
    written += records;
    if (written < recordsBetween || running !== null || closed) return;
    written = 0;
    running = run().finally(() => (running = null));
  }

  return {
    wrote,
    wroteBytes: (bytes) => wrote(bytes / bytesOfARecord),
    async close() {
      closed = true;
      await running;
      await thread?.close();
    },
  };
}
