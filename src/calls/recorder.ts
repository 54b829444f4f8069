import { setTimeout as delay } from 'node:timers/promises';
import type { CallRecord } from '../domain/call.ts';
import type { CallTrace } from '../pipeline/call.ts';
import type { CallBatch, CallStore, RollupStore } from '../storage/ports.ts';
import { RollupSums } from '../storage/roll-up.ts';
import { makeRecord } from './make-record.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Siblings } from '../lib/siblings.ts';

/** Takes traces off the path of a call and writes them in batches. */
export interface Recorder {
  record(trace: CallTrace): void;
  /** Adds a record that was made elsewhere. */
  add(record: CallRecord): void;
  /** Calls the listener with each record once it is written; returns how to stop. */
  onRecord(listener: (record: CallRecord) => void): () => void;
  /** Records dropped since the start; always reported. */
  readonly dropped: number;
  /** Records waiting to be written. */
  readonly waiting: number;
  /** How long the oldest record that isn't written yet has been waiting; 0 if none is. */
  readonly oldestWaitingMs: number;
  /** Writes everything that is waiting now; later records are left to the next flush. */
  flush(): Promise<void>;
  /**
   * Writes everything and stops; later records are counted as dropped. Retries a store that fails for as long as
   * `closeMs`. Returns how many records were lost.
   */
  close(): Promise<number>;
}

export interface RecorderOptions {
  readonly calls: Pick<CallStore, 'newBatch' | 'write'>;
  readonly rollups: Pick<RollupStore, 'add'>;
  /** Read for each batch, because an owner may change it. */
  readonly keepContents: () => boolean;
  /** Called when a batch could not be written, and when records are dropped because too many are waiting. */
  readonly onTrouble: (error: unknown, dropped: number) => void;
  readonly maxWaiting?: number;
  readonly batchSize?: number;
  readonly everyMs?: number;
  /** How long closing keeps trying to write to a store that fails. */
  readonly closeMs?: number;
}

const sumsEveryMs = 5_000;

const maxRetryPauseMs = 500;

const maxSums = 100_000;

/** Records that are written together, and their sums. */
interface UnwrittenBatch {
  /** When its first record was added. */
  sinceMs: number;
  readonly batch: CallBatch;
  readonly sums: RollupSums;
}

/**
 * Creates the recorder. When the store fails, batches are retried; when too many records wait, the newest are counted
 * and dropped.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { calls, keepContents, onTrouble, batchSize = 1_000, everyMs = 50, closeMs = 0 } = options;
  let { maxWaiting = 20_000 } = options;
  // A trace references its request, reply and client. Made into a record within the same event-loop tick, it stays in
  // the young generation, which saves the garbage collector most of its work.
  let traced: CallTrace[] = [];
  const begin = (): UnwrittenBatch => ({ sinceMs: 0, batch: calls.newBatch(), sums: new RollupSums() });
  let open = begin();
  /** Batches that are full, being written or not yet written because of a failure, oldest first. */
  let closed: UnwrittenBatch[] = [];
  let waiting = 0;
  let written = 0;
  const listeners = new Set<(record: CallRecord) => void>();
  // Updating the store's sums with every batch would cost more than the records themselves.
  const sums = new RollupSums();
  let sumsTimer: NodeJS.Timeout | null = null;
  let sumsWritten: Promise<void> = Promise.resolve();
  let dropped = 0;
  let writing: Promise<boolean> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let pauseMs = everyMs;
  let stopping = false;

  function makeRecords(): void {
    if (traced.length === 0) return;
    const traces = traced;
    traced = [];
    const keep = keepContents();
    for (const trace of traces) addRecord(trace, keep);
    schedule();
  }

  function addRecord(trace: CallTrace, keep: boolean): void {
    try {
      const record = makeRecord(trace, keep);
      if (open.batch.size === 0) open.sinceMs = performance.now();
      open.batch.add(record);
      open.sums.add(record);
      waiting++;
    } catch (error) {
      drop(1, error);
    }
    if (open.batch.size === batchSize) closeBatch();
  }

  function drop(records: number, why: unknown): void {
    dropped += records;
    onTrouble(why, dropped);
  }

  function closeBatch(): void {
    if (open.batch.size === 0) return;
    closed.push(open);
    open = begin();
  }

  function schedule(): void {
    if (timer !== null || writing !== null || stopping) return;
    // A full batch gains nothing by waiting; one that the store rejected does.
    const isFull = closed.length > 0 && pauseMs === everyMs;
    timer = setTimeout(
      () => {
        timer = null;
        void writeBatch();
      },
      isFull ? 0 : pauseMs,
    );
  }

  /** Returns whether it succeeded. */
  function writeBatch(): Promise<boolean> {
    writing ??= writeOne().finally(() => {
      writing = null;
      if (waiting > 0) schedule();
    });
    return writing;
  }

  async function writeOne(): Promise<boolean> {
    if (closed.length === 0) closeBatch();
    const [first] = closed;
    if (first === undefined) return true;
    const { batch } = first;
    const { size } = batch;
    // A listener that starts during the write finds these records in the store.
    const shown = listeners.size === 0 ? [] : batch.records();
    try {
      await calls.write(batch);
    } catch (error) {
      pauseMs = Math.min(pauseMs * 2, 5_000);
      onTrouble(error, dropped);
      return false;
    }
    closed.shift();
    waiting -= size;
    written += size;
    sums.absorb(first.sums);
    scheduleSums();
    pauseMs = everyMs;
    for (const listener of listeners) notify(listener, shown);
    return true;
  }

  function notify(listener: (record: CallRecord) => void, records: readonly CallRecord[]): void {
    try {
      for (const record of records) listener(record);
    } catch (error) {
      onTrouble(error, dropped);
    }
  }

  function scheduleSums(): void {
    if (stopping) return;
    sumsTimer ??= setTimeout(() => {
      sumsTimer = null;
      void writeSums();
    }, sumsEveryMs);
  }

  /** One at a time, so that awaiting the last one awaits all of them. */
  function writeSums(): Promise<void> {
    sumsWritten = sumsWritten.then(addSums);
    return sumsWritten;
  }

  async function addSums(): Promise<void> {
    if (sums.size === 0) return;
    const rows = sums.take();
    try {
      await options.rollups.add(rows);
    } catch (error) {
      if (sums.size < maxSums) sums.restore(rows);
      onTrouble(error, dropped);
      scheduleSums();
    }
  }

  /** Returns whether everything that was waiting has been written. */
  async function writeWaiting(): Promise<boolean> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    makeRecords();
    const goal = written + waiting;
    const isDone = () => written >= goal || waiting === 0;
    // A store that keeps failing must not keep the process from stopping.
    for (let failures = 0; failures < 3 && !isDone();) if (!(await writeBatch())) failures++;
    await writeSums();
    return isDone();
  }

  return {
    record(trace) {
      if (traced.length + waiting >= maxWaiting) {
        dropped++;
        if (dropped === 1 || dropped % 1_000 === 0)
          onTrouble(
            new Error(
              stopping
                ? 'a call ended after the recorder was closed'
                : 'too many call records are waiting to be written',
            ),
            dropped,
          );
        return;
      }
      if (traced.push(trace) === 1) setImmediate(makeRecords);
    },
    add(record) {
      if (open.batch.size === 0) open.sinceMs = performance.now();
      open.batch.add(record);
      open.sums.add(record);
      waiting++;
      if (open.batch.size === batchSize) closeBatch();
      schedule();
    },
    onRecord(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get dropped() {
      return dropped;
    },
    get waiting() {
      return traced.length + waiting;
    },
    get oldestWaitingMs() {
      return waiting === 0 ? 0 : performance.now() - (closed[0] ?? open).sinceMs;
    },
    async flush() {
      await writeWaiting();
    },
    async close() {
      stopping = true;
      if (sumsTimer !== null) clearTimeout(sumsTimer);
      const deadline = performance.now() + closeMs;
      const isWritten = () => traced.length + waiting + sums.size === 0;
      for (let retryPauseMs = everyMs; ; retryPauseMs = Math.min(retryPauseMs * 2, maxRetryPauseMs)) {
        while ((await writeWaiting()) && traced.length + waiting > 0);
        const leftMs = deadline - performance.now();
        if (isWritten() || leftMs <= 0) break;
        await delay(Math.min(retryPauseMs, leftMs));
      }
      const lost = traced.length + waiting;
      if (lost > 0) drop(lost, new Error('call records were lost at shutdown'));
      maxWaiting = 0;
      traced = [];
      closed = [];
      open = begin();
      waiting = 0;
      return lost;
    },
  };
}

const watchEveryMs = 2_000;
const watchedForMs = 3 * watchEveryMs;

/** A recorder that writes and shows the calls of all processes of a gateway, whichever process is asked. */
export function shareRecorder(
  recorder: Recorder,
  siblings: Siblings,
  now: () => number,
  onClose: OnClose,
): Recorder {
  const listeners = new Set<(record: CallRecord) => void>();
  let watchedUntilMs = 0;
  let stopForwarding: (() => void) | null = null;

  siblings.on('flush', () => recorder.flush());
  siblings.on('record', (record) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the same version of this program
    for (const listener of listeners) listener(record as CallRecord);
  });
  // Another process is showing live calls. It repeats this message, because it may end without saying so.
  siblings.on('watch records', () => {
    watchedUntilMs = now() + watchedForMs;
    stopForwarding ??= recorder.onRecord((record) => siblings.tell('record', record));
  });

  const timer = setInterval(() => {
    if (listeners.size > 0) siblings.tell('watch records');
    if (stopForwarding === null || now() < watchedUntilMs) return;
    stopForwarding();
    stopForwarding = null;
  }, watchEveryMs).unref();
  onClose(() => clearInterval(timer));

  return {
    record: (trace) => recorder.record(trace),
    add: (record) => recorder.add(record),
    onRecord(listener) {
      listeners.add(listener);
      siblings.tell('watch records');
      const stop = recorder.onRecord(listener);
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
    get dropped() {
      return recorder.dropped;
    },
    get waiting() {
      return recorder.waiting;
    },
    get oldestWaitingMs() {
      return recorder.oldestWaitingMs;
    },
    async flush() {
      await Promise.all([recorder.flush(), siblings.ask('flush')]);
    },
    close: () => recorder.close(),
  };
}
