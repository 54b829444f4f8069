import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

const sources = new URL('../', import.meta.url).href;

// Node 20 ends the whole process when V8, compiling aside for a thread that is just ending, finds its heap full and asks
// for a task to mark it (docs/adr/0041-bounded-work-and-memory.md). Without such tasks it marks as it allocates.
const endsSafely = Number.parseInt(process.versions.node, 10) >= 22;
if (!endsSafely) setFlagsFromString('--no-incremental-marking-task');

/**
 * Starts a thread on a worker file beside the module that asks: `startWorker(import.meta.url, './parse-worker.ts')`.
 * Node 20 runs no TypeScript in a thread, so from the sources it is the built file that runs.
 */
export function startWorker(
  importer: string,
  file: `./${string}-worker.ts`,
  options?: WorkerOptions,
): Worker {
  const built = new URL(file.replace(/\.ts$/, '.js'), importer).href;
  if (!importer.endsWith('.ts')) return new Worker(new URL(built), options);
  return new Worker(new URL(`../dist/${built.slice(sources.length)}`, sources), options);
}
