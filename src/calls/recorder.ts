import type { CallRecord } from '../domain/call.ts';
import type { CallTrace } from '../pipeline/types.ts';
import type { CallStore, RollupStore } from '../storage/ports.ts';
import { RollupSums } from '../storage/roll-up.ts';
import { makeRecord } from './make-record.ts';

/** Takes traces off the path of a call and writes them in batches. */
export interface Recorder {
  record(trace: CallTrace): void;
  /** Hears of each record once it is written; returns how to stop. */
  onRecord(listener: (record: CallRecord) => void): () => void;
  /** Records that could not be kept since the start; shown, never silent. */
  readonly dropped: number;
  /** Records that wait to be written. */
  readonly waiting: number;
  /** Writes everything that waits. */
  flush(): Promise<void>;
  /** Flushes once more and stops. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly calls: CallStore;
  readonly rollups: Pick<RollupStore, 'add'>;
  /** Asked for each batch, because an owner may change it. */
  readonly keepContents: () => boolean;
  /** Hears of a batch that could not be written, and of records dropped because too many waited. */
  readonly onTrouble: (error: unknown, dropped: number) => void;
  readonly maxWaiting?: number;
  readonly batchSize?: number;
  readonly everyMs?: number;
}

const sumsEveryMs = 5_000;
const mostSums = 100_000;

/** Makes the recorder. When the store fails, batches are tried again; when too many wait, the newest are counted and dropped. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { calls, keepContents, onTrouble, maxWaiting = 20_000, batchSize = 1_000, everyMs = 50 } = options;
  // A trace holds on to its request, reply and client: made into a record before the loop turns, it dies young, which
  // spares the collector most of its work.
  let traced: CallTrace[] = [];
  let waiting: CallRecord[] = [];
  let failed: CallRecord[] = [];
  const listeners = new Set<(record: CallRecord) => void>();
  // Adding to the store's sums with every batch would cost more than the records themselves.
  const sums = new RollupSums();
  let sumsTimer: NodeJS.Timeout | null = null;
  let dropped = 0;
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let pauseMs = everyMs;

  function makeRecords(): void {
    if (traced.length === 0) return;
    const keep = keepContents();
    for (const trace of traced) waiting.push(makeRecord(trace, keep));
    traced = [];
    schedule();
  }

  function schedule(): void {
    if (timer !== null || writing !== null) return;
    timer = setTimeout(() => {
      timer = null;
      void writeBatch();
    }, pauseMs);
  }

  function writeBatch(): Promise<void> {
    writing ??= writeOne().finally(() => {
      writing = null;
      if (waiting.length > 0 || failed.length > 0) schedule();
    });
    return writing;
  }

  async function writeOne(): Promise<void> {
    const batch = failed.length > 0 ? failed : takeBatch();
    failed = [];
    if (batch.length === 0) return;
    try {
      for (const record of await calls.add(batch)) sums.add(record);
      scheduleSums();
      pauseMs = everyMs;
      for (const listener of listeners) for (const record of batch) listener(record);
    } catch (error) {
      failed = batch;
      pauseMs = Math.min(pauseMs * 2, 5_000);
      onTrouble(error, dropped);
    }
  }

  function scheduleSums(): void {
    sumsTimer ??= setTimeout(() => {
      sumsTimer = null;
      void writeSums();
    }, sumsEveryMs);
  }

  async function writeSums(): Promise<void> {
    const rows = sums.take();
    try {
      await options.rollups.add(rows);
    } catch (error) {
      if (sums.size < mostSums) sums.restore(rows);
      onTrouble(error, dropped);
      scheduleSums();
    }
  }

  function takeBatch(): CallRecord[] {
    const taken = waiting.slice(0, batchSize);
    waiting = waiting.slice(batchSize);
    return taken;
  }

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    makeRecords();
    // A store that keeps failing must not keep the process from stopping.
    for (let attempt = 0; attempt < 3;) {
      if (writing !== null) await writing;
      if (waiting.length === 0 && failed.length === 0) break;
      await writeBatch();
      if (failed.length > 0) attempt++;
    }
    if (sums.size > 0) await writeSums();
  }

  return {
    record(trace) {
      if (traced.length + waiting.length + failed.length >= maxWaiting) {
        dropped++;
        if (dropped === 1 || dropped % 1_000 === 0)
          onTrouble(new Error('too many call records wait to be written'), dropped);
        return;
      }
      if (traced.push(trace) === 1) setImmediate(makeRecords);
    },
    onRecord(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get dropped() {
      return dropped;
    },
    get waiting() {
      return traced.length + waiting.length + failed.length;
    },
    flush,
    async close() {
      await flush();
      if (timer !== null) clearTimeout(timer);
      if (sumsTimer !== null) clearTimeout(sumsTimer);
      dropped += waiting.length + failed.length;
      if (waiting.length + failed.length > 0)
        onTrouble(new Error('call records were lost at shutdown'), dropped);
      waiting = [];
      failed = [];
    },
  };
}
