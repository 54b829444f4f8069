import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/settings.ts';
import type { Opening } from '../gateway.ts';
import { workerErrors } from '../domain/error-messages/workers.ts';
import { type ErrorCode, errorCatalog, HandrailError } from '../domain/errors.ts';
import type { CallRecord } from '../domain/call.ts';
import { keysOf } from '../lib/json/plain-object.ts';
import type { ToParent, ToWorker, WorkerRequest } from './messages.ts';

/** One worker, as its parent sees it. */
export interface WorkerProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves once its store is open; rejects with the worker's error if it cannot start. */
  readonly opened: Promise<void>;
  /** Starts serving. */
  serve(url: string): Promise<Opening>;
  /** Whether it accepts connections. */
  isServing: boolean;
  /** Whether it ever accepted any. */
  hasServed: boolean;
  /** How many pings in a row it missed; an unresponsive worker gets no new connections. */
  unanswered: number;
  tell(message: ToWorker): void;
  /** Sends it a connection; `onGone` is called if the worker exits before it received it. */
  give(connection: Socket, onGone: () => void): void;
  /** Its running calls by id, as far as it reported them. */
  readonly running: Map<string, CallRecord>;
  /** Its last known metrics. */
  counted: string | null;
  readonly exited: Promise<number | null>;
  kill(): void;
}

/** Starts a worker on a configuration. `onMessage` receives the requests that the parent must handle. */
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

  /** Connections in transit to it, in order. */
  const inTransit: { readonly connection: Socket; readonly onGone: () => void }[] = [];

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
      // Messages to a worker that is gone can be dropped.
      if (child.connected) child.send(message, () => undefined);
    },
    give(connection, onGone) {
      const connected: ToWorker = { type: 'connection' };
      const one = { connection, onGone };
      inTransit.push(one);
      // Kept open here until the worker confirms it: Node sends them one by one and drops them if the worker exits.
      child.send(connected, connection, { keepOpen: true }, (error) => {
        if (error === null || !inTransit.includes(one)) return;
        inTransit.splice(inTransit.indexOf(one), 1);
        onGone();
      });
    },
    running: new Map(),
    counted: null,
    exited: new Promise((resolve) => {
      child.once('exit', (code) => {
        worker.isServing = false;
        const ended = workerErrors.exitedEarly({ name });
        rejectOpened(ended);
        rejectServing(ended);
        resolve(code);
        for (const { onGone } of inTransit.splice(0)) onGone();
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
        inTransit.shift()?.connection.destroy();
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

/** Node 20 cannot run TypeScript, so from source the built file is used. */
function workerMain(): string {
  const here = import.meta.url;
  const built = here.endsWith('.ts') ? '../../dist/workers/worker-main.js' : './worker-main.js';
  return fileURLToPath(new URL(built, here));
}
