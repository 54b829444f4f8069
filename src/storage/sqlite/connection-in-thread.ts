import { startWorker } from '../../lib/start-worker.ts';
import type { StatementAnswer } from './connection-worker.ts';
import { sqliteError, type StatementResult } from './driver.ts';

/** A connection in a thread. */
export interface ThreadConnection {
  run(text: string): Promise<StatementResult>;
  close(): Promise<void>;
}

/**
 * Opens a database file for reading in a thread of its own, so that nothing else waits for what takes long. Takes one
 * statement at a time.
 */
export function openInThread(file: string): ThreadConnection {
  const worker = startWorker(import.meta.url, './connection-worker.ts', { workerData: { file } });
  let waiting: { resolve: (answer: StatementAnswer) => void; reject: (error: Error) => void } | undefined;
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    waiting?.reject(failure);
  };
  worker.on('message', (answer: StatementAnswer) => waiting?.resolve(answer));
  worker.on('error', fail);
  const gone = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      fail(new Error('The thread of the database ended.'));
      resolve();
    });
  });
  const run = async (text: string) => {
    const answer = await new Promise<StatementAnswer>((resolve, reject) => {
      if (failure) return reject(failure);
      waiting = { resolve, reject };
      worker.postMessage({ text });
    });
    if ('failed' in answer) throw sqliteError(answer.failed.message, answer.failed.code);
    return answer;
  };
  return {
    run,
    async close() {
      worker.postMessage('close');
      await gone;
    },
  };
}
