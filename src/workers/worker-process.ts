import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/settings.ts';
import type { Opening } from '../gateway.ts';
import { type ErrorCode, errorCatalog, HandrailError } from '../domain/errors.ts';
import type { CallRecord } from '../domain/call.ts';
import { keysOf } from '../lib/json/plain-object.ts';
import type { ToParent, ToWorker, WorkerRequest } from './messages.ts';

/** One worker, as its parent sees it. */
export interface WorkerProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves once its store is open; rejects with what it says when it cannot start. */
  readonly opened: Promise<void>;
  /** Has it serve what it is given. */
  serve(url: string): Promise<Opening>;
  /** Whether it takes connections. */
  isServing: boolean;
  /** Whether it ever took any. */
  hasServed: boolean;
  /** How many questions in a row it has not answered in time: nothing new is given to one that stands still. */
  unanswered: number;
  tell(message: ToWorker): void;
  /** Hands over a connection; `onGone` hears when the worker is gone before it took it. */
  give(connection: Socket, onGone: () => void): void;
  /** Calls that it runs, by id, as far as it told. */
  readonly running: Map<string, CallRecord>;
  /** Its counters as they were last seen. */
  counted: string | null;
  readonly exited: Promise<number | null>;
  kill(): void;
}

/** Starts a worker on a configuration. `onMessage` hears what the parent has to do something about. */
export function startWorkerProcess(options: {
  readonly name: string;
  readonly config: Config;
  readonly isFirst: boolean;
  readonly onMessage: (message: WorkerRequest, worker: WorkerProcess, connection: Socket | undefined) => void;
}): WorkerProcess {
  const { name, config, isFirst, onMessage } = options;
  const child: ChildProcess = fork(workerMain(), [], {
    execArgv: process.execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let resolveOpened!: () => void;
  let rejectOpened!: (error: unknown) => void;
  let resolveServing!: (opening: Opening) => void;
  let rejectServing!: (error: unknown) => void;
  const opened = new Promise<void>((resolve, reject) => {
    resolveOpened = resolve;
    rejectOpened = reject;
  });
  const serving = new Promise<Opening>((resolve, reject) => {
    resolveServing = resolve;
    rejectServing = reject;
  });
  for (const promise of [opened, serving]) promise.catch(() => undefined);

  /** Connections that are on their way to it, in their order. */
  const underWay: { readonly connection: Socket; readonly onGone: () => void }[] = [];

  const worker: WorkerProcess = {
    name,
    pid: child.pid,
    opened,
    serve(url) {
      worker.tell({ type: 'serve', url });
      return serving;
    },
    isServing: false,
    hasServed: false,
    unanswered: 0,
    tell(message) {
      // What cannot be said to a worker that is gone need not be said.
      if (child.connected) child.send(message, () => undefined);
    },
    give(connection, onGone) {
      const connected: ToWorker = { type: 'connection' };
      const one = { connection, onGone };
      underWay.push(one);
      // Kept open here until the worker says that it has it: Node sends one after the other and forgets them if it ends.
      child.send(connected, connection, { keepOpen: true }, (error) => {
        if (error === null || !underWay.includes(one)) return;
        underWay.splice(underWay.indexOf(one), 1);
        onGone();
      });
    },
    running: new Map(),
    counted: null,
    exited: new Promise((resolve) => {
      child.once('exit', (code) => {
        worker.isServing = false;
        const ended = new HandrailError('unavailable', `The ${name} ended before it served.`);
        rejectOpened(ended);
        rejectServing(ended);
        resolve(code);
        for (const { onGone } of underWay.splice(0)) onGone();
      });
      child.once('error', (error) => {
        rejectOpened(error);
        resolve(null);
      });
    }),
    kill: () => void child.kill('SIGKILL'),
  };

  child.on('message', (message: ToParent, connection: Socket | undefined) => {
    switch (message.type) {
      case 'opened':
        return resolveOpened();
      case 'failed':
        return rejectOpened(new HandrailError(codeOf(message.code), message.message));
      case 'serving':
        worker.isServing = true;
        worker.hasServed = true;
        return resolveServing(message);
      case 'took':
        underWay.shift()?.connection.destroy();
        return undefined;
      case 'running':
        for (const call of message.calls) worker.running.set(call.id, call);
        for (const id of message.endedIds) worker.running.delete(id);
        return undefined;
      case 'counted':
        worker.counted = message.text;
        return undefined;
      default:
        return onMessage(message, worker, connection);
    }
  });
  worker.tell({ type: 'start', config, isFirst });
  return worker;
}

const codeOf = (code: string): ErrorCode =>
  keysOf(errorCatalog).find((known) => known === code) ?? 'internal';

/** Node 20 runs no TypeScript: from the sources it is the built file that runs. */
function workerMain(): string {
  const here = import.meta.url;
  const built = here.endsWith('.ts') ? '../../dist/workers/worker-main.js' : './worker-main.js';
  return fileURLToPath(new URL(built, here));
}
