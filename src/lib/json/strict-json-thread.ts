import { Worker } from 'node:worker_threads';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';
import type { StrictJsonAnswer } from './strict-json-worker.ts';
import { ownBuffers } from '../own-buffers.ts';

// Reading a megabyte takes some ten milliseconds; starting a thread takes as long, but on another core.
const longBytes = 1024 * 1024;

// Node 20 runs no TypeScript in a thread: from the sources, the built file is used.
const workerFile = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../dist/lib/json/strict-json-worker.js'
    : './strict-json-worker.js',
  import.meta.url,
);

/**
 * `parseStrictJson` for uploads: a long text is read in a thread of its own, and its long strings come back as their
 * UTF-8 bytes, so that no step of it takes long. `bytes` cannot be used afterwards. Rejects with `StrictJsonError`.
 */
export async function parseStrictJsonAside(bytes: Uint8Array): Promise<unknown> {
  if (bytes.byteLength < longBytes) return parseStrictJson(bytes);
  const answer = await new Promise<StrictJsonAnswer>((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: bytes, transferList: ownBuffers([bytes]) });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread ended without an answer.')));
  });
  if ('refusal' in answer) throw new StrictJsonError(answer.refusal);
  return answer.value;
}
