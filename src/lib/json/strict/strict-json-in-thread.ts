import { parseStrictJson, StrictJsonError } from './strict-json.ts';
import type { StrictJsonAnswer } from './strict-json-worker.ts';
import { ownBuffers } from '../../own-buffers.ts';
import { startWorker } from '../../start-worker.ts';

// Parsing a megabyte takes about 10 ms; starting a thread takes as long, but on another core.
const longBytes = 1024 * 1024;

/**
 * `parseStrictJson` for uploads: long text is parsed in a separate thread, and its long strings are returned as
 * UTF-8 bytes, so that no step takes long. `bytes` can't be used afterwards. Rejects with `StrictJsonError`.
 */
export async function parseStrictJsonInThread(bytes: Uint8Array): Promise<unknown> {
  if (bytes.byteLength < longBytes) return parseStrictJson(bytes);
  const answer = await new Promise<StrictJsonAnswer>((resolve, reject) => {
    const worker = startWorker(import.meta.url, './strict-json-worker.ts', {
      workerData: bytes,
      transferList: ownBuffers([bytes]),
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread ended without an answer.')));
  });
  if ('refusal' in answer) throw new StrictJsonError(answer.refusal);
  return answer.value;
}
