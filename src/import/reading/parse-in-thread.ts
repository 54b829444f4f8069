import type { ApiDescription, DescribedOperation } from '../../domain/description.ts';
import { importErrors } from '../../domain/error-messages/import.ts';
import { HandrailError } from '../../domain/errors.ts';
import { ownBuffers } from '../../lib/own-buffers.ts';
import { startWorker } from '../../lib/start-worker.ts';
import type { WorkerMessage } from './parse-worker.ts';
import type { ImportInput, ImportProgress, ParsedImport } from './parsed-import.ts';
import { createDefinitionSharing } from '../plan/share-definitions.ts';

/** Limits for reading one document. */
export interface ParseLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

export const defaultParseLimits: ParseLimits = { timeoutMs: 120_000, memoryMb: 768 };

// Transferred, because copying them is slow and they are not used again.
function largeParts({ files }: ImportInput): Uint8Array[] {
  return files
    .map(({ content }) => content)
    .filter((content) => typeof content !== 'string')
    .filter((content) => content.byteLength > 1024 * 1024);
}

/**
 * Reads a document in its own thread, within time and memory limits, so that calls are still served.
 * Large files are transferred and cannot be used afterwards.
 */
export function parseInThread(
  input: ImportInput,
  options: {
    readonly limits?: ParseLimits;
    readonly onProgress?: (progress: ImportProgress) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<ParsedImport> {
  const limits = options.limits ?? defaultParseLimits;
  return new Promise((resolve, reject) => {
    const worker = startWorker(import.meta.url, './parse-worker.ts', {
      workerData: input,
      transferList: ownBuffers(largeParts(input)),
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, stackSizeMb: 8 },
    });
    let head: ParsedImport | null = null;
    const operations: DescribedOperation[][] = [];
    const shareDefinitions = createDefinitionSharing();
    let settled = false;
    const finish = (settle: () => void): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      void worker.terminate();
      settle();
    };
    const fail = (error: HandrailError): void => finish(() => reject(error));
    const onAbort = (): void => fail(importErrors.canceled());
    // Queued chunks would be delivered back to back; requested one by one, calls are served in between.
    const requestMore = (): void => void setImmediate(() => worker.postMessage('more'));
    const timer = setTimeout(
      () => fail(importErrors.tookTooLong({ seconds: limits.timeoutMs / 1000 })),
      limits.timeoutMs,
    );
    options.signal?.addEventListener('abort', onAbort, { once: true });

    worker.on('message', (message: WorkerMessage) => {
      switch (message.kind) {
        case 'progress':
          options.onProgress?.(message.progress);
          break;
        case 'head':
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by parse-worker.ts
          head = JSON.parse(message.text) as ParsedImport;
          requestMore();
          break;
        case 'operations': {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by parse-worker.ts
          const piece = JSON.parse(message.text) as DescribedOperation[];
          shareDefinitions(piece);
          (operations[message.api] ??= []).push(...piece);
          requestMore();
          break;
        }
        case 'done': {
          const apis: ApiDescription[] = head!.apis.map((api, i) => ({
            ...api,
            operations: operations[i] ?? [],
          }));
          finish(() => resolve({ ...head!, apis }));
          break;
        }
        case 'error':
          fail(
            new HandrailError(
              message.code,
              message.message,
              message.problems && { problems: message.problems },
            ),
          );
      }
    });
    worker.on('error', (error) => {
      const outOfMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
      fail(
        outOfMemory
          ? importErrors.tookTooMuchMemory({ megabytes: limits.memoryMb })
          : importErrors.readerFailed({}, { cause: error }),
      );
    });
    worker.on('exit', () => fail(importErrors.readingStopped()));
  });
}
