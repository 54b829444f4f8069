import { randomFillSync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createSandboxThread, type SandboxThread } from './sandbox-thread.ts';
import type { Answer, FrozenMachine, GuestError, RequestKind, RunLimits } from './messages.ts';
import { createFairQueue } from './run-queue.ts';

/** A script to run, and the functions that answer its requests. */
export interface SandboxTask {
  /** The owner of the script: scripts of one caller wait for each other first. */
  readonly callerId: string;
  /** The body of an async function, in JavaScript or TypeScript. */
  readonly source: string;
  /** JSON that the script sees as `input`; if absent, the name doesn't exist. */
  readonly input?: string;
  /** Whether another run waits for this one; then it isn't queued behind that one. */
  readonly isPart?: boolean;
  /** What `Object.keys(tools)` returns. */
  readonly apis: readonly string[];
  readonly limits: RunLimits;
  /** Checked a few times a second. */
  readonly signal: { readonly aborted: boolean };
  /** Answers a request of the script with JSON. Must not reject. */
  answer(kind: RequestKind, payload: string): Promise<TaskAnswer>;
  hear(kind: 'print' | 'show', text: string): void;
}

/** An answer to a script's request. */
export interface TaskAnswer extends Omit<Answer, 'id'> {
  /** Called when the script gets it: never, if the script ended first. */
  readonly onDelivered?: () => void;
}

/** How a run ended. */
export type RunEnd =
  /** JSON, or undefined if the script returned nothing. */
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'threw'; readonly error: GuestError }
  | { readonly kind: 'stopped'; readonly why: StopCause; readonly line?: number };

/** Why a run was stopped before its script ended. */
export type StopCause =
  | 'cpu'
  | 'wall'
  | 'memory'
  | 'stack'
  /** It waits for something that will never arrive. */
  | 'stuck'
  | 'cancelled'
  /** Too many runs are already waiting. */
  | 'overloaded'
  /** The thread it ran in ended. */
  | 'broken';

export interface RunUsage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Runs scripts in virtual machines, in threads that are started on demand. */
export interface Sandbox {
  run(task: SandboxTask): Promise<{ readonly end: RunEnd; readonly usage: RunUsage }>;
  /** The number of runs and threads. */
  readonly load: { readonly runs: number; readonly threads: number };
  close(): Promise<void>;
}

const maxActive = 64;
const maxWaiting = 256;
const maxRequestsAtOnce = 1_000;
const idleMs = 20_000;
const lookEveryMs = 200;
// How long a thread may take to stop before it is terminated.
const graceMs = 400;

type State = 'queued' | 'ready' | 'computing' | 'waiting' | 'ended';

class Run {
  readonly id: number;
  readonly task: SandboxTask;
  state: State = 'queued';
  cpuMs = 0;
  memoryBytes = 0;
  outputLeft: number;
  open = 0;
  answers: (TaskAnswer & Pick<Answer, 'id'>)[] = [];
  frozen: FrozenMachine | null = null;
  /** The thread that has its machine. */
  home: SandboxThread | null = null;
  /** Why it is being stopped, if it is. */
  stopping: StopCause | null = null;
  timer: NodeJS.Timeout | undefined;
  wallTimer: NodeJS.Timeout | undefined;
  readonly #settle: (ended: { readonly end: RunEnd; readonly usage: RunUsage }) => void;

  constructor(id: number, task: SandboxTask, settle: (ended: { end: RunEnd; usage: RunUsage }) => void) {
    this.id = id;
    this.task = task;
    this.outputLeft = task.limits.outputChars;
    this.#settle = settle;
  }

  settle(end: RunEnd): void {
    this.#settle({ end, usage: { cpuMs: this.cpuMs, memoryBytes: this.memoryBytes } });
  }
}

/** Creates the sandbox; no thread is started yet. */
export function createSandbox(maxThreads = Math.min(Math.max(availableParallelism(), 2), 4)): Sandbox {
  const runs = new Map<number, Run>();
  const queue = createFairQueue<Run>();
  const threads = new Set<SandboxThread>();
  let shared: Parameters<typeof createSandboxThread>[0] = { module: null, baseline: null };
  let active = 0;
  let lastId = 0;
  let isClosed = false;
  let looking: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;

  function startThread(): void {
    const thread = createSandboxThread(shared, {
      onReady(made) {
        shared = made;
        schedule();
      },
      onRequest: (runId, id, kind, payload) => void answer(runId, id, kind, payload),
      onOutput(runId, kind, text) {
        const run = runs.get(runId);
        if (run === undefined) return;
        run.outputLeft -= text.length;
        run.task.hear(kind, text);
      },
      onFrozen(runId, machine) {
        const run = runs.get(runId);
        if (run === undefined) return;
        run.home = null;
        run.frozen = machine;
        schedule();
      },
      onSlice(runId, end, cpuMs, memoryBytes, isWorn) {
        thread.executing = null;
        const run = runs.get(runId);
        if (run !== undefined) {
          run.cpuMs += cpuMs;
          run.memoryBytes = Math.max(run.memoryBytes, memoryBytes);
          if (end.kind === 'waiting') waits(run, thread);
          else if (end.kind !== 'stopped') finish(run, end);
          else
            finish(run, {
              kind: 'stopped',
              why: end.why === 'asked' ? (run.stopping ?? 'cancelled') : end.why,
              ...(end.line !== undefined && { line: end.line }),
            });
        }
        if (isWorn && !holdsAny(thread)) endThread(thread);
        schedule();
      },
      onEnd(wasReady) {
        threads.delete(thread);
        loseRunsIn(thread);
        // If no thread can be started, no run waits for one.
        if (!wasReady && threads.size === 0)
          for (const run of runs.values()) finish(run, { kind: 'stopped', why: 'broken' });
        schedule();
      },
    });
    threads.add(thread);
  }

  function loseRunsIn(thread: SandboxThread): void {
    for (const run of runs.values())
      if (run.home === thread) finish(run, { kind: 'stopped', why: run.stopping ?? 'broken' });
  }

  function endThread(thread: SandboxThread): void {
    threads.delete(thread);
    void thread.end();
    loseRunsIn(thread);
  }

  function holdsAny(thread: SandboxThread): boolean {
    for (const run of runs.values()) if (run.home === thread) return true;
    return false;
  }

  function waits(run: Run, thread: SandboxThread): void {
    run.state = 'waiting';
    run.home = thread;
    if (run.stopping !== null) finish(run, { kind: 'stopped', why: run.stopping });
    else if (run.answers.length > 0) hasMore(run);
    else if (run.open === 0) finish(run, { kind: 'stopped', why: 'stuck' });
  }

  function hasMore(run: Run): void {
    run.state = 'ready';
    queue.add(run.task.callerId, run, true);
    schedule();
  }

  async function answer(runId: number, id: number, kind: RequestKind, payload: string): Promise<void> {
    const run = runs.get(runId);
    if (run === undefined) return;
    run.open++;
    const answered = await run.task.answer(kind, payload);
    run.open--;
    if (run.state === 'ended') return;
    run.answers.push({ id, ...answered });
    if (run.state === 'waiting') hasMore(run);
  }

  function finish(run: Run, end: RunEnd): void {
    if (run.state === 'ended') return;
    if (run.state === 'queued') queue.remove(run.task.callerId, run);
    else active--;
    if (run.state === 'ready') queue.remove(run.task.callerId, run);
    if (run.state === 'waiting' || run.state === 'ready') run.home?.drop(run.id);
    run.state = 'ended';
    clearTimeout(run.timer);
    clearTimeout(run.wallTimer);
    runs.delete(run.id);
    run.frozen = null;
    run.settle(end);
    if (runs.size === 0) rest();
    schedule();
  }

  /**
   * Ends a run: immediately while it waits; while it computes, as soon as it notices, or together with its
   * thread.
   */
  function stop(run: Run, why: StopCause): void {
    if (run.stopping !== null || run.state === 'ended') return;
    run.stopping = why;
    if (run.state !== 'computing') finish(run, { kind: 'stopped', why });
    else if (run.home !== null) stopComputing(run, run.home);
  }

  function stopComputing(run: Run, thread: SandboxThread): void {
    thread.askToStop();
    clearTimeout(run.timer);
    run.timer = setTimeout(() => {
      if (run.state === 'computing') kill(run, thread);
    }, graceMs);
  }

  function kill(run: Run, thread: SandboxThread): void {
    finish(run, { kind: 'stopped', why: run.stopping ?? 'cpu' });
    endThread(thread);
  }

  /** The engine checks its time between steps; a single long step has to be watched from outside. */
  function watch(run: Run, thread: SandboxThread, leftMs: number): void {
    clearTimeout(run.timer);
    run.timer = setTimeout(
      () => {
        if (run.state !== 'computing') return;
        const left = run.task.limits.cpuMs - run.cpuMs - thread.cpuMsInSlice();
        if (left + graceMs > 0) watch(run, thread, left);
        else kill(run, thread);
      },
      Math.max(leftMs, 0) + graceMs,
    );
  }

  function schedule(): void {
    if (isClosed) return;
    for (;;) {
      const run = queue.take((one) => mayRun(one) && threadFor(one) !== undefined);
      if (run === undefined) break;
      execute(run, threadFor(run)!);
    }
    if (queue.size === 0) return;
    const isStarting = [...threads].some((thread) => !thread.isReady);
    const isWanted = [...threads].every((thread) => !thread.isReady || thread.executing !== null);
    if (!isStarting && isWanted && threads.size < maxThreads) startThread();
  }

  function mayRun(run: Run): boolean {
    if (run.state === 'queued' && active >= (run.task.isPart === true ? 2 * maxActive : maxActive))
      return false;
    // One thread is left for others, however much one caller has to run.
    let own = 0;
    for (const { executing } of threads)
      if (executing !== null && runs.get(executing)?.task.callerId === run.task.callerId) own++;
    return own < Math.max(1, maxThreads - 1);
  }

  function threadFor(run: Run): SandboxThread | undefined {
    if (run.home !== null) return run.home.isReady && run.home.executing === null ? run.home : undefined;
    const free = [...threads].filter((thread) => thread.isReady && thread.executing === null);
    return free.find((thread) => !holdsAny(thread)) ?? free[0];
  }

  function execute(run: Run, thread: SandboxThread): void {
    const { limits, source, apis, input } = run.task;
    if (run.state === 'queued') {
      active++;
      run.wallTimer = setTimeout(() => stop(run, 'wall'), limits.wallMs);
    }
    const isFirst = run.state === 'queued';
    const leftMs = limits.cpuMs - run.cpuMs;
    const slice = {
      runId: run.id,
      limits,
      cpuLeftMs: leftMs,
      requestsLeft: maxRequestsAtOnce - run.open,
      outputLeft: run.outputLeft,
    };
    run.state = 'computing';
    run.home = thread;
    if (isFirst) {
      const seed = [...randomFillSync(new Int32Array(4))];
      thread.execute({
        kind: 'begin',
        ...slice,
        source,
        setup: JSON.stringify({ slugs: apis, seed, input }),
      });
    } else {
      const { frozen } = run;
      const answers = run.answers.map(({ id, isDone, text }) => ({ id, isDone, text }));
      for (const { onDelivered } of run.answers) onDelivered?.();
      run.answers = [];
      run.frozen = null;
      thread.execute({ kind: 'resume', ...slice, answers, frozen });
    }
    watch(run, thread, leftMs);
  }

  function look(): void {
    for (const run of runs.values()) if (run.task.signal.aborted) stop(run, 'cancelled');
  }

  function rest(): void {
    clearInterval(looking);
    looking = undefined;
    for (const thread of threads) thread.unref();
    clearTimeout(idle);
    idle = setTimeout(() => {
      for (const thread of threads) endThread(thread);
    }, idleMs).unref();
  }

  return {
    run(task) {
      const nothing = { cpuMs: 0, memoryBytes: 0 };
      if (isClosed || queue.size >= maxWaiting)
        return Promise.resolve({ end: { kind: 'stopped', why: 'overloaded' }, usage: nothing });
      return new Promise((settle) => {
        const run = new Run(++lastId, task, settle);
        runs.set(run.id, run);
        clearTimeout(idle);
        looking ??= setInterval(look, lookEveryMs);
        for (const thread of threads) thread.ref();
        queue.add(task.callerId, run);
        schedule();
      });
    },
    get load() {
      return { runs: runs.size, threads: threads.size };
    },
    async close() {
      isClosed = true;
      for (const run of runs.values()) finish(run, { kind: 'stopped', why: 'cancelled' });
      clearTimeout(idle);
      await Promise.all([...threads].map((thread) => thread.end()));
      threads.clear();
    },
  };
}
