import { parentPort, workerData } from 'node:worker_threads';
import { openSqlite, sqliteErrorCode } from './driver.ts';

/** What the owner of the thread asks for, one at a time. */
export type StatementRequest =
  | { readonly kind: 'run'; readonly text: string; readonly values: readonly unknown[] }
  | { readonly kind: 'exec'; readonly text: string };

export type StatementAnswer =
  | { readonly rows: unknown[]; readonly changes: number }
  | { readonly failed: { readonly message: string; readonly code: string | undefined } };

const port = parentPort;
if (port) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by connection-in-thread.ts
  const { file } = workerData as { readonly file: string };
  const connection = openSqlite(file);
  const answer = (request: StatementRequest): StatementAnswer => {
    try {
      if (request.kind === 'run') return connection.run(request.text, request.values);
      connection.exec(request.text);
      return { rows: [], changes: 0 };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { failed: { message, code: sqliteErrorCode(error) } };
    }
  };
  port.on('message', (request: StatementRequest | 'close') => {
    if (request !== 'close') port.postMessage(answer(request));
    else {
      connection.close();
      port.close();
    }
  });
}
