import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { DescribedOperation } from '../../domain/description.ts';
import { type ErrorCode, type Problem, toHandrailError } from '../../domain/errors.ts';
import { parseImport } from './parse-import.ts';
import type { ImportInput, ImportProgress } from './parsed-import.ts';

/**
 * Messages from the worker, in this order: progress, one head, chunks of operations, done; or one error. After the head
 * and after each chunk it waits until more is requested.
 */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  /** JSON of the result with empty lists of operations. */
  | { readonly kind: 'head'; readonly text: string }
  /** JSON of some operations of one API. */
  | { readonly kind: 'operations'; readonly api: number; readonly text: string }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly problems?: readonly Problem[];
    };

// A large result is sent as JSON in chunks: parsing one takes a millisecond or two and never stalls the main thread.
const pieceChars = 200_000;

function* pieces(operations: readonly DescribedOperation[]): Generator<string> {
  let piece: string[] = [];
  let chars = 0;
  for (const operation of operations) {
    const text = JSON.stringify(operation);
    piece.push(text);
    chars += text.length;
    if (chars < pieceChars) continue;
    yield `[${piece.join(',')}]`;
    piece = [];
    chars = 0;
  }
  if (piece.length > 0) yield `[${piece.join(',')}]`;
}

// Calls have priority over imports when cores are scarce. Only Linux has priorities for single threads.
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(10);
  } catch {
    // Not permitted: it runs with normal priority.
  }
}

const port = parentPort;
if (port) {
  lowerPriority();
  const send = (message: WorkerMessage): void => port.postMessage(message);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- passed by parse-in-thread.ts
    const parsed = parseImport(workerData as ImportInput, (progress) => send({ kind: 'progress', progress }));
    send({
      kind: 'head',
      text: JSON.stringify({ ...parsed, apis: parsed.apis.map((api) => ({ ...api, operations: [] })) }),
    });
    for (const [api, { operations }] of parsed.apis.entries()) {
      for (const text of pieces(operations)) {
        await once(port, 'message');
        send({ kind: 'operations', api, text });
      }
    }
    await once(port, 'message');
    send({ kind: 'done' });
  } catch (error) {
    const known = toHandrailError(error);
    const { problems } = known.details;
    send({ kind: 'error', code: known.code, message: known.message, ...(problems && { problems }) });
  }
}
