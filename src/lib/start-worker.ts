import { Worker, type WorkerOptions } from 'node:worker_threads';

const sources = new URL('../', import.meta.url).href;

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
