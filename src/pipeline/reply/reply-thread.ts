import { startWorker } from '../../lib/start-worker.ts';
import { createWorkQueue } from '../../lib/timing/work-queue.ts';
import type { WorkLimits } from '../../lib/work-budget.ts';

const maxMs = 20_000;
// Each thread may take a few hundred megabytes, so there are two, and one caller never gets both.
const maxWaiting = { ofAll: 40, ofOne: 10 };
const queue = createWorkQueue({
  running: 2,
  runningEach: 1,
  waiting: maxWaiting.ofAll,
  waitingEach: maxWaiting.ofOne,
});

const megabyte = 1024 * 1024;

/** Work limits of an expression on the main thread, where every call waits for it: a few milliseconds. */
export const inlineLimits: WorkLimits = { steps: 50_000, bytes: megabyte };

/** Work limits of an expression in a thread, for a reply of this many characters: a second or two. */
export function threadLimits(characters: number): WorkLimits {
  return { steps: 10_000_000 + 8 * characters, bytes: 64 * megabyte + 4 * characters };
}

/** Why a thread did not process a text, for the caller to read; `isBusy` if the queue was full. */
export interface ThreadRefusal {
  readonly refusal: string;
  readonly isBusy?: true;
}

/**
 * Runs a worker file on the text of a reply, within limits of time and memory. Callers take turns, so that one caller's
 * replies do not hold up another's.
 */
export function runInReplyThread<Answer>(
  caller: string,
  [importer, file]: readonly [importer: string, file: `./${string}-worker.ts`],
  workerData: { readonly text: string },
): Promise<Answer | ThreadRefusal> {
  const run = () => runNow<Answer>(importer, file, workerData);
  return (
    queue.run(run, { caller }) ??
    Promise.resolve({
      refusal: `too many long replies are queued (at most ${maxWaiting.ofOne} per caller, ${maxWaiting.ofAll} in total); try again in a second, with fewer calls at a time`,
      isBusy: true,
    })
  );
}

function runNow<Answer>(
  importer: string,
  file: `./${string}-worker.ts`,
  workerData: { readonly text: string },
): Promise<Answer | ThreadRefusal> {
  // Parsed JSON takes up to twenty times the length of its text.
  const maxMb = Math.min(768, 192 + Math.ceil((24 * workerData.text.length) / megabyte));
  return new Promise((resolve) => {
    const worker = startWorker(importer, file, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: maxMb },
    });
    const refuse = (refusal: string): void => resolve({ refusal });
    const timer = setTimeout(() => {
      refuse(`it took longer than ${maxMs / 1000} seconds`);
      void worker.terminate();
    }, maxMs);
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) =>
      refuse(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `it needed more than ${maxMb} MB of memory`
          : 'it could not be read',
      ),
    );
    worker.once('exit', () => {
      clearTimeout(timer);
      refuse('it was stopped');
    });
  });
}
