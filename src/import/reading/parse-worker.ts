import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { DescribedOperation } from '../../domain/description.ts';
import { type ErrorCode, type Problem, toHandrailError } from '../../domain/errors.ts';
import { parseImport } from './parse-import.ts';
import type { ImportInput, ImportProgress } from './parsed-import.ts';

/**
 * What the thread tells its owner, in this order: progress, one head, pieces, done; or one error. After the head and
 * after each piece it waits until it is asked for more.
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

// A large result is handed over as JSON in pieces: reading one back takes a millisecond or two, never a stall.
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

// Where cores are scarce, calls come first. Only Linux has priorities of single threads.
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(10);
  } catch {
    // Not allowed here: then it runs like any other thread.
  }
}

const port = parentPort;
if (port) {
  giveWay();
  const send = (message: WorkerMessage): void => port.postMessage(message);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- handed over by parse-in-thread.ts
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
