import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createMemoryLedger } from '../budgets/memory-ledger.ts';
import { mergeMetrics } from '../calls/merge-metrics.ts';
import type { Config } from '../config/settings.ts';
import { workerErrors } from '../domain/error-messages/workers.ts';
import type { Opening } from '../gateway.ts';
import { listenError, urlHost } from '../http/connections/listening.ts';
import { pauseReading } from '../http/connections/pass-on-connections.ts';
import { stopListening } from '../http/connections/stop-listening.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { WorkerRequest } from './messages.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** A gateway of several processes: this one listens and distributes connections, the others serve them. */
export interface Workers {
  readonly url: string;
  /** What the first worker reported when it started serving. */
  readonly opening: Opening;
  /** Replaces all workers, one after the other. */
  replaceAll(): Promise<void>;
  /** Announces for `leaveMs` that it is leaving while it still serves, then stops listening and waits for the workers to finish. */
  close(leaveMs: number): Promise<void>;
  /** Kills the workers. */
  kill(): void;
}

const replyTimeoutMs = 800;
const pingEveryMs = 1_000;
// No work of a worker blocks the event loop for this long, but an overloaded machine may.
const maxUnanswered = 30;
const shortLifeMs = 5_000;
const maxPauseMs = 30_000;
const maxOutageMs = 2_000;

/** Starts the workers of a gateway. Resolves once the first one serves; rejects with the reason if it cannot. */
export async function startWorkers(options: {
  readonly config: Config;
  readonly count: number;
  readonly log: Logger;
}): Promise<Workers> {
  const { config, count, log } = options;
  const ledger = createMemoryLedger(Date.now);
  const workers = new Set<WorkerProcess>();
  /** Merged counters of workers that have exited. */
  let ended = '';
  const asking = new Map<number, (reply: unknown) => void>();
  /** Connections that arrived while no worker was serving. */
  let unserved: Socket[] = [];
  let started = 0;
  let lastAsk = 0;
  let nextWorker = 0;
  let isStopping = false;
  let url = '';
  // Connections are distributed evenly, so each worker gets its share of the limits.
  const shareOf = (max: number) => Math.ceil(max / count);
  const workerConfig: Config = {
    ...config,
    maxConnections: shareOf(config.maxConnections),
    maxConnectionsPerAddress: shareOf(config.maxConnectionsPerAddress),
  };

  const serving = () => [...workers].filter((worker) => worker.isServing);
  /** The responsive workers; all serving ones if none responds. */
  function responsive(): readonly WorkerProcess[] {
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
      onMessage: handle,
    });
    workers.add(worker);
    void worker.exited.then((code) => {
      workers.delete(worker);
      announceMembers();
      if (worker.counted !== null) ended = mergeMetrics([], [ended, worker.counted]);
      const [heir] = serving();
      if (worker.running.size > 0) heir?.tell({ type: 'lost', calls: [...worker.running.values()] });
      return afterExit(worker, code, Date.now() - startedAtMs);
    });
    return worker;
  }

  /** Replaces a worker that exited on its own, with increasing pauses if it keeps failing early. */
  async function afterExit(worker: WorkerProcess, code: number | null, livedMs: number): Promise<void> {
    if (isStopping || leaving.has(worker) || url === '') return;
    log.error(
      { worker: worker.name, pid: worker.pid, code, callsLost: worker.running.size },
      'a worker exited unexpectedly and is being replaced',
    );
    pauseMs = livedMs > shortLifeMs ? 0 : Math.min(maxPauseMs, Math.max(200, pauseMs * 2));
    // While no worker is serving, clients wait for this one.
    const waitMs = serving().length === 0 ? Math.min(pauseMs, maxOutageMs) : pauseMs;
    if (waitMs > 0) await delay(waitMs);
    if (!isStopping) await add();
  }
  let pauseMs = 0;
  const leaving = new Set<WorkerProcess>();

  /** Starts one more; a failure is logged, and its exit triggers the next attempt. */
  async function add(): Promise<boolean> {
    const worker = start(false);
    try {
      await worker.opened;
      await worker.serve(url);
    } catch (err) {
      log.error({ err, worker: worker.name }, 'a worker could not be started');
      return false;
    }
    announceMembers();
    distribute(unserved.splice(0));
    return true;
  }

  function announceMembers(): void {
    for (const worker of workers) worker.tell({ type: 'members', count: workers.size });
  }

  function distribute(connections: readonly Socket[]): void {
    const able = responsive();
    if (able.length === 0) unserved = [...unserved, ...connections];
    else
      for (const connection of connections) {
        const worker = able[nextWorker++ % able.length]!;
        worker.give(connection, () => {
          // Its exit event is still on the way; another worker takes the connection.
          worker.isServing = false;
          distribute([connection]);
        });
      }
  }

  function handle(message: WorkerRequest, from: WorkerProcess, connection: Socket | undefined): void {
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
        // The client may have disconnected in transit.
        if (connection === undefined) return;
        if (server.listening) distribute([pauseReading(connection)]);
        else connection.destroy();
    }
  }

  async function askOthers(kind: string, body: unknown, from: WorkerProcess): Promise<readonly unknown[]> {
    const others = serving().filter((worker) => worker !== from);
    const replies = await Promise.all(
      others.map(async (worker) => (worker.unanswered > 0 ? undefined : askOne(worker, kind, body))),
    );
    if (kind !== 'metrics') return replies.filter((reply) => reply !== undefined);
    // A worker's metrics must not disappear when it exits or is too busy to respond.
    for (const [at, worker] of others.entries())
      if (typeof replies[at] === 'string') worker.counted = replies[at];
    return [
      ...others.map((worker) => worker.counted).filter((text) => text !== null),
      ...(ended === '' ? [] : [{ text: ended }]),
    ];
  }

  /** Pings the workers. One whose event loop is blocked, while another responds, is killed and replaced. */
  async function checkWorkers(): Promise<void> {
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
      log.error(
        { worker: worker.name, pid: worker.pid },
        'a worker has been unresponsive for too long: killing it',
      );
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
      const timer = setTimeout(done, replyTimeoutMs, undefined);
      asking.set(id, done);
      worker.tell({ type: 'asked', id, kind, body });
    });
  }

  /** Replaces a worker, which finishes its running calls. */
  async function replace(worker: WorkerProcess): Promise<void> {
    if (leaving.has(worker) || !workers.has(worker)) return;
    leaving.add(worker);
    const isReplaced = await add();
    if (!isReplaced && serving().length === 1) {
      // It is the last one: an old worker is better than none.
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
    server = await listen(config, (connection) => distribute([connection]));
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
  distribute(unserved.splice(0));
  const others = Promise.all(Array.from({ length: count - 1 }, () => add()));
  repeat(pingEveryMs, checkWorkers, (err) => log.error({ err }, 'checking the workers failed'));

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
        // Workers that are still starting are no longer needed.
        else {
          worker.kill();
          return exited.then(() => 0);
        }
        return exited;
      });
      for (const connection of unserved) connection.destroy();
      const codes = await Promise.all(stopped);
      if (codes.some((code) => code !== 0)) throw workerErrors.uncleanStop();
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
