import type { CallRecord } from '../domain/call.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Siblings } from '../lib/siblings.ts';
import type { Recorder } from './recorder.ts';

const watchEveryMs = 2_000;
const watchedForMs = 3 * watchEveryMs;

/** A recorder that writes and shows the calls of all processes of a gateway, whichever of them is asked. */
export function shareRecorder(
  recorder: Recorder,
  siblings: Siblings,
  now: () => number,
  onClose: OnClose,
): Recorder {
  const listeners = new Set<(record: CallRecord) => void>();
  let watchedUntilMs = 0;
  let stopTelling: (() => void) | null = null;

  siblings.on('flush', () => recorder.flush());
  siblings.on('record', (record) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- told by the same version of this program
    for (const listener of listeners) listener(record as CallRecord);
  });
  // Somebody looks at another process's calls as they come. Said again and again: whoever looked may have ended.
  siblings.on('watch records', () => {
    watchedUntilMs = now() + watchedForMs;
    stopTelling ??= recorder.onRecord((record) => siblings.tell('record', record));
  });

  const timer = setInterval(() => {
    if (listeners.size > 0) siblings.tell('watch records');
    if (stopTelling === null || now() < watchedUntilMs) return;
    stopTelling();
    stopTelling = null;
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
    async flush() {
      await Promise.all([recorder.flush(), siblings.ask('flush')]);
    },
    close: () => recorder.close(),
  };
}
