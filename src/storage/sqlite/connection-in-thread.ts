import { startWorker } from '../../lib/start-worker.ts';
import type { StatementAnswer, StatementRequest } from './connection-worker.ts';
import { sqliteError, type StatementRunner } from './driver.ts';

/**
 * Opens a database file in a thread of its own: what it writes, and waiting for the disk, holds nobody else up. Takes
 * one statement at a time.
 */
export function openInThread(file: string): StatementRunner {
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
  const ask = async (request: StatementRequest) => {
    const answer = await new Promise<StatementAnswer>((resolve, reject) => {
      if (failure) return reject(failure);
      waiting = { resolve, reject };
      worker.postMessage(request);
    });
    if ('failed' in answer) throw sqliteError(answer.failed.message, answer.failed.code);
    return answer;
  };
  return {
    run: (text, values) => ask({ kind: 'run', text, values }),
    exec: async (text) => void (await ask({ kind: 'exec', text })),
    async close() {
      worker.postMessage('close');
      await gone;
    },
  };
}
