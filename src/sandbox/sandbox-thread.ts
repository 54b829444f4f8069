import { startWorker } from '../lib/start-worker.ts';
import type {
  Baseline,
  FromThread,
  FrozenMachine,
  RequestKind,
  SandboxThreadData,
  SliceEnd,
  ToThread,
} from './messages.ts';
import { threadCpuMs } from './thread-clock.ts';

/** What all threads share; created by the first one. */
export interface SharedParts {
  readonly module: WebAssembly.Module | null;
  readonly baseline: Baseline | null;
}

/** Events of a thread. */
export interface ThreadEvents {
  onReady(shared: SharedParts): void;
  onRequest(runId: number, id: number, kind: RequestKind, payload: string): void;
  onOutput(runId: number, kind: 'print' | 'show', text: string): void;
  onFrozen(runId: number, machine: FrozenMachine): void;
  onSlice(runId: number, end: SliceEnd, cpuMs: number, memoryBytes: number, isWorn: boolean): void;
  /** The thread ended by itself, perhaps before it could do anything; it sends nothing more. */
  onEnd(wasReady: boolean): void;
}

/** A thread that runs scripts, one at a time. */
export interface SandboxThread {
  readonly isReady: boolean;
  /** The run that is computing in it; null if none is. */
  executing: number | null;
  execute(slice: Exclude<ToThread, { readonly kind: 'drop' }>): void;
  /** Drops a machine that waits in it. */
  drop(runId: number): void;
  askToStop(): void;
  /** What the current slice has computed so far. */
  cpuMsInSlice(): number;
  ref(): void;
  unref(): void;
  end(): Promise<void>;
}

// The engine limits a script's own memory; this is for the messages.
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

export function createSandboxThread(shared: SharedParts, events: ThreadEvents): SandboxThread {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const workerData: SandboxThreadData = { ...shared, stop };
  const worker = startWorker(import.meta.url, './sandbox-worker.ts', { workerData, resourceLimits });
  let isReady = false;
  let hasEnded = false;
  let threadId: number | null = null;
  let sliceAt = 0;
  let cpuAtSlice: number | null = null;

  function take(message: FromThread): void {
    if (hasEnded) return;
    switch (message.kind) {
      case 'ready':
        isReady = true;
        ({ threadId } = message);
        events.onReady({ module: message.module, baseline: message.baseline });
        break;
      case 'request':
        events.onRequest(message.runId, message.id, message.request, message.payload);
        break;
      case 'output':
        events.onOutput(message.runId, message.output, message.text);
        break;
      case 'frozen':
        events.onFrozen(message.runId, message.machine);
        break;
      case 'slice':
        thread.executing = null;
        events.onSlice(message.runId, message.end, message.cpuMs, message.memoryBytes, message.isWorn);
        break;
    }
  }

  function ended(): void {
    if (hasEnded) return;
    hasEnded = true;
    events.onEnd(isReady);
  }

  const thread: SandboxThread = {
    executing: null,
    get isReady() {
      return isReady && !hasEnded;
    },
    execute(slice) {
      thread.executing = slice.runId;
      sliceAt = performance.now();
      cpuAtSlice = threadCpuMs(threadId);
      Atomics.store(stop, 0, 0);
      const transfer = slice.kind === 'resume' && slice.frozen !== null ? [slice.frozen.bytes.buffer] : [];
      worker.postMessage(slice satisfies ToThread, transfer);
    },
    drop(runId) {
      if (!hasEnded) worker.postMessage({ kind: 'drop', runId } satisfies ToThread);
    },
    askToStop() {
      Atomics.store(stop, 0, 1);
    },
    cpuMsInSlice() {
      const now = cpuAtSlice === null ? null : threadCpuMs(threadId);
      return now === null || cpuAtSlice === null ? performance.now() - sliceAt : now - cpuAtSlice;
    },
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    async end() {
      hasEnded = true;
      await worker.terminate();
    },
  };
  worker.on('message', take);
  worker.on('error', ended);
  worker.on('exit', ended);
  return thread;
}
