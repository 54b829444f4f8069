import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly, sqliteErrorCode, type StatementResult } from './driver.ts';

/** What became of a statement. */
export type StatementAnswer =
  | StatementResult
  | { readonly failed: { readonly message: string; readonly code: string | undefined } };

const port = parentPort;
if (port) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by connection-in-thread.ts
  const { file } = workerData as { readonly file: string };
  const connection = openReadOnly(file);
  const answer = (text: string): StatementAnswer => {
    try {
      return connection.run(text, []);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { failed: { message, code: sqliteErrorCode(error) } };
    }
  };
  port.on('message', (request: { readonly text: string } | 'close') => {
    if (request !== 'close') port.postMessage(answer(request.text));
    else {
      connection.close();
      port.close();
    }
  });
}
