import { parentPort, workerData } from 'node:worker_threads';
import { toHandrailError } from '../domain/errors.ts';
import { parseImport } from './parse-import.ts';
import type { ImportInput, ImportProgress } from './parsed-import.ts';

/** What the thread tells its owner, in this order: progress, one head, batches of operations, done; or one error. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  /** JSON of the result with empty lists of operations. */
  | { readonly kind: 'head'; readonly text: string }
  /** JSON of some operations of one API. */
  | { readonly kind: 'operations'; readonly api: number; readonly text: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

// A large result is handed over as JSON in pieces: reading one back takes a millisecond or two, never a stall.
const batchChars = 200_000;

const port = parentPort;
if (port) {
  const send = (message: WorkerMessage): void => port.postMessage(message);
  try {
    const parsed = parseImport(workerData as ImportInput, (progress) => send({ kind: 'progress', progress }));
    send({
      kind: 'head',
      text: JSON.stringify({ ...parsed, apis: parsed.apis.map((api) => ({ ...api, operations: [] })) }),
    });
    for (const [api, { operations }] of parsed.apis.entries()) {
      let batch: string[] = [];
      let chars = 0;
      const flush = (): void => {
        if (batch.length > 0) send({ kind: 'operations', api, text: `[${batch.join(',')}]` });
        batch = [];
        chars = 0;
      };
      for (const operation of operations) {
        const text = JSON.stringify(operation);
        batch.push(text);
        chars += text.length;
        if (chars >= batchChars) flush();
      }
      flush();
    }
    send({ kind: 'done' });
  } catch (error) {
    const known = toHandrailError(error);
    send({ kind: 'error', code: known.code, message: known.message });
  }
}
