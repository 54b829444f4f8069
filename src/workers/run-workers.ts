import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createMemoryLedger } from '../budgets/memory-ledger.ts';
import { mergeMetrics } from '../calls/merge-metrics.ts';
import type { Config } from '../config/settings.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Opening } from '../gateway.ts';
import { listenError, urlHost } from '../http/connections/listening.ts';
import { pauseReading } from '../http/connections/pass-on-connections.ts';
import { stopListening } from '../http/connections/stop-listening.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { WorkerRequest } from './messages.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** A gateway of several processes: this one listens and deals out connections, the others serve them. */
export interface Workers {
  readonly url: string;
  /** What the first worker said when it served. */
  readonly opening: Opening;
  /** Puts a new worker in the place of each, one after the other. */
  replaceAll(): Promise<void>;
  /** Says for `leaveMs` that it is leaving while it serves on, then stops listening and lets the workers finish. */
  close(leaveMs: number): Promise<void>;
  /** Ends the workers, whatever they do. */
  kill(): void;
}

const askWithinMs = 800;
const lookEveryMs = 1_000;
// Nothing that a worker does by itself takes as long in one turn; a machine that has too much to do may.
const maxUnanswered = 30;
const shortLifeMs = 5_000;
const longestPauseMs = 30_000;
const longestOutageMs = 2_000;

/** Starts the workers of a gateway. Resolves once the first one serves; rejects with what keeps it from that. */
export async function startWorkers(options: {
  readonly config: Config;
  readonly count: number;
  readonly log: Logger;
}): Promise<Workers> {
  const { config, count, log } = options;
  const ledger = createMemoryLedger(Date.now);
  const workers = new Set<WorkerProcess>();
  /** Counters of workers that are no more, added up. */
  let ended = '';
  const asking = new Map<number, (reply: unknown) => void>();
  /** Connections that came while no worker served. */
  let unserved: Socket[] = [];
  let started = 0;
  let lastAsk = 0;
  let turn = 0;
  let isStopping = false;
  let url = '';
  // Connections are dealt out evenly, so each worker may have its part of them.
  const ofEach = (most: number) => Math.ceil(most / count);
  const workerConfig: Config = {
    ...config,
    maxConnections: ofEach(config.maxConnections),
    maxConnectionsPerAddress: ofEach(config.maxConnectionsPerAddress),
  };

  const serving = () => [...workers].filter((worker) => worker.isServing);
  /** Those that can take something on at once; all that serve where none of them answers. */
  function answering(): readonly WorkerProcess[] {
    const able = serving();
    const awake = able.filter((worker) => worker.unanswered === 0);
    return awake.length === 0 ? able : awake;
  }

  function start(isFirst: boolean): WorkerProcess {
    const startedAtMs = Date.now();
    const worker = startWorkerProcess({
      name: `worker ${++started}`,
      config: workerConfig,
      isFirst,
      onMessage: hear,
    });
    workers.add(worker);
    void worker.exited.then((code) => {
      workers.delete(worker);
      tellMembers();
      if (worker.counted !== null) ended = mergeMetrics([], [ended, worker.counted]);
      const [heir] = serving();
      if (worker.running.size > 0) heir?.tell({ type: 'lost', calls: [...worker.running.values()] });
      return afterExit(worker, code, Date.now() - startedAtMs);
    });
    return worker;
  }

  /** A worker that was not asked to end is replaced; one that cannot even start is not started over and over at once. */
  async function afterExit(worker: WorkerProcess, code: number | null, livedMs: number): Promise<void> {
    if (isStopping || leaving.has(worker) || url === '') return;
    log.error(
      { worker: worker.name, pid: worker.pid, code, callsLost: worker.running.size },
      'a worker ended by itself and is replaced',
    );
    pauseMs = livedMs > shortLifeMs ? 0 : Math.min(longestPauseMs, Math.max(200, pauseMs * 2));
    // While nobody serves, clients wait for it.
    const waitMs = serving().length === 0 ? Math.min(pauseMs, longestOutageMs) : pauseMs;
    if (waitMs > 0) await delay(waitMs);
    if (!isStopping) await add();
  }
  let pauseMs = 0;
  const leaving = new Set<WorkerProcess>();

  /** Starts one more; a failure is logged, and its exit brings the next one. */
  async function add(): Promise<boolean> {
    const worker = start(false);
    try {
      await worker.opened;
      await worker.serve(url);
    } catch (err) {
      log.error({ err, worker: worker.name }, 'a worker could not be started');
      return false;
    }
    tellMembers();
    deal(unserved.splice(0));
    return true;
  }

  function tellMembers(): void {
    for (const worker of workers) worker.tell({ type: 'members', count: workers.size });
  }

  function deal(connections: readonly Socket[]): void {
    const able = answering();
    if (able.length === 0) unserved = [...unserved, ...connections];
    else
      for (const connection of connections) {
        const worker = able[turn++ % able.length]!;
        worker.give(connection, () => {
          // Its end is on the way to us; somebody else has the time.
          worker.isServing = false;
          deal([connection]);
        });
      }
  }

  function hear(message: WorkerRequest, from: WorkerProcess, connection: Socket | undefined): void {
    switch (message.type) {
      case 'budgets':
        from.tell({
          type: 'budgets',
          id: message.id,
          answers: ledger.ask(from.name, workers.size, message.asks),
        });
        return;
      case 'tell':
        for (const worker of serving())
          if (worker !== from) worker.tell({ type: 'told', kind: message.kind, body: message.body });
        return;
      case 'ask':
        void askOthers(message.kind, message.body, from).then((replies) =>
          from.tell({ type: 'heard', id: message.id, replies }),
        );
        return;
      case 'reply':
        asking.get(message.id)?.(message.body);
        return;
      case 'leaving':
        if (!isStopping) void replace(from);
        return;
      case 'connection':
        // The client may have left on its way.
        if (connection === undefined) return;
        if (server.listening) deal([pauseReading(connection)]);
        else connection.destroy();
    }
  }

  async function askOthers(kind: string, body: unknown, from: WorkerProcess): Promise<readonly unknown[]> {
    const others = serving().filter((worker) => worker !== from);
    const replies = await Promise.all(
      others.map(async (worker) => (worker.unanswered > 0 ? undefined : askOne(worker, kind, body))),
    );
    if (kind !== 'metrics') return replies.filter((reply) => reply !== undefined);
    // What a worker counted must not vanish with it, nor while it is too busy to answer.
    for (const [at, worker] of others.entries())
      if (typeof replies[at] === 'string') worker.counted = replies[at];
    return [
      ...others.map((worker) => worker.counted).filter((text) => text !== null),
      ...(ended === '' ? [] : [{ text: ended }]),
    ];
  }

  /** Sees which workers still have turns of their event loop. One that has none, while another has, is ended and replaced. */
  async function lookAfter(): Promise<void> {
    const asked = [...workers].filter((worker) => worker.hasServed);
    await Promise.all(
      asked.map(async (worker) => {
        const answer = await askOne(worker, 'awake', null);
        worker.unanswered = answer === undefined ? worker.unanswered + 1 : 0;
      }),
    );
    if (!asked.some((worker) => worker.unanswered === 0)) return;
    for (const worker of asked) {
      if (worker.unanswered < maxUnanswered || !workers.has(worker)) continue;
      log.error({ worker: worker.name, pid: worker.pid }, 'a worker has stood still for too long: ending it');
      worker.kill();
    }
  }

  function askOne(worker: WorkerProcess, kind: string, body: unknown): Promise<unknown> {
    const id = ++lastAsk;
    return new Promise((resolve) => {
      const done = (reply: unknown): void => {
        clearTimeout(timer);
        asking.delete(id);
        resolve(reply);
      };
      const timer = setTimeout(done, askWithinMs, undefined);
      asking.set(id, done);
      worker.tell({ type: 'asked', id, kind, body });
    });
  }

  /** Puts a new worker in the place of one, which finishes what it has begun. */
  async function replace(worker: WorkerProcess): Promise<void> {
    if (leaving.has(worker) || !workers.has(worker)) return;
    leaving.add(worker);
    const isReplaced = await add();
    if (!isReplaced && serving().length === 1) {
      // It is the last one: better the old one than none.
      leaving.delete(worker);
      return;
    }
    worker.isServing = false;
    worker.tell({ type: 'stop', isReplaced: true });
    await worker.exited;
    leaving.delete(worker);
  }

  const first = start(true);
  try {
    await first.opened;
  } catch (error) {
    isStopping = true;
    first.kill();
    throw error;
  }
  let server: Server;
  try {
    server = await listen(config, (connection) => deal([connection]));
  } catch (error) {
    isStopping = true;
    first.tell({ type: 'stop', isReplaced: false });
    await first.exited;
    throw error;
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const at = `http://${urlHost(config.host)}:${port}`;
  const opening = await first.serve(at);
  url = at;
  deal(unserved.splice(0));
  const others = Promise.all(Array.from({ length: count - 1 }, () => add()));
  repeat(lookEveryMs, lookAfter, (err) => log.error({ err }, 'the workers could not be looked after'));

  return {
    url,
    opening,
    async replaceAll() {
      await others;
      const old = [...workers];
      for (const worker of old) await replace(worker);
    },
    async close(leaveMs) {
      isStopping = true;
      for (const worker of workers) worker.tell({ type: 'leave' });
      if (leaveMs > 0) await delay(leaveMs);
      await stopListening(server);
      const stopped = [...workers].map((worker) => {
        const { exited } = worker;
        if (worker.isServing || leaving.has(worker)) worker.tell({ type: 'stop', isReplaced: false });
        // Those that are starting are not needed any more.
        else {
          worker.kill();
          return exited.then(() => 0);
        }
        return exited;
      });
      for (const connection of unserved) connection.destroy();
      const codes = await Promise.all(stopped);
      if (codes.some((code) => code !== 0))
        throw new HandrailError('unavailable', 'Not every worker could stop cleanly.');
    },
    kill() {
      isStopping = true;
      for (const worker of workers) worker.kill();
    },
  };
}

async function listen(config: Config, onConnection: (connection: Socket) => void): Promise<Server> {
  // Nothing is read here: the worker reads.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, onConnection);
  server.listen({ host: config.host, port: config.port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, config);
  }
  return server;
}
