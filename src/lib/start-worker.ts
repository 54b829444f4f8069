import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

// A bundler takes a URL relative to the module for a file to copy.
const module = import.meta.url;

// Node 20 crashes the process when V8, compiling in the background for a thread that is just ending, finds its
// heap full and schedules a task to mark it (docs/adr/0041-bounded-work-and-memory.md). Without such tasks, V8
// marks while it allocates. Set with the first thread: importing a module must change nothing in an app that mounts us.
let endsSafely = Number.parseInt(process.versions.node, 10) >= 22;

function makeEndSafe(): void {
  if (endsSafely) return;
  setFlagsFromString('--no-incremental-marking-task');
  endsSafely = true;
}

/**
 * Starts a thread that runs a worker file next to the calling module: `startWorker(import.meta.url,
 * './parse-worker.ts')`. Node 20 can't run TypeScript in a thread, so when running from sources, the built file
 * is used.
 */
export function startWorker(
  importer: string,
  file: `./${string}-worker.ts`,
  options?: WorkerOptions,
): Worker {
  makeEndSafe();
  const built = new URL(file.replace(/\.ts$/, '.js'), importer).href;
  if (!importer.endsWith('.ts')) return new Worker(new URL(built), options);
  const sources = new URL('../', module).href;
  return new Worker(new URL(`../dist/${built.slice(sources.length)}`, sources), options);
}
