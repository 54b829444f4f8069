import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/settings.ts';
import { drain, drainGiven, listenOn, untilQuiet, urlHost } from './listening.ts';

/** What the rest of a gateway can see of its life. */
export interface LifeState {
  /** Where clients reach us, without a trailing slash; known once the gateway listens. */
  readonly publicUrl: () => string;
  /** Whether requests can arrive over the network; a command uses a gateway of its own, in process. */
  readonly isListening: () => boolean;
  /** Whether the process was asked to stop and only serves until load balancers have noticed. */
  readonly isLeaving: () => boolean;
  /** Aborted when the process stops: streams on which clients only listen end at once. */
  readonly stopping: AbortSignal;
}

/** From the first connection to the last: where a gateway serves, and how it stops. */
export interface ProcessLife {
  readonly state: LifeState;
  readonly publicUrl: () => string;
  readonly stopping: AbortSignal;
  isServing(): boolean;
  /** The address to name until the gateway serves itself; null keeps the configured one. */
  assumeAddress(address: string | null): void;
  /** Names what is served, what must be ready first, and what starts then. */
  attach(
    app: FastifyInstance,
    hooks: {
      readonly beforeServing: () => Promise<void>;
      readonly onServing: (address: string) => void;
    },
  ): void;
  /** Starts listening and returns the address. */
  listen(): Promise<string>;
  /** Serves the connections that `take` is given, if another process listens at this address. */
  serveAt(address: string): Promise<void>;
  /** Takes over a client's connection. */
  take(connection: Socket): void;
  /** Reports from now on that it is leaving, and keeps serving. */
  leave(): void;
  /**
   * Reports for `leaveMs` that it is leaving while it keeps serving, so that load balancers send nothing more; then stops
   * listening and lets running calls finish within the drain time. With `handOn`, unused connections that it was given go
   * there instead of being closed.
   */
  stop(leaveMs?: number, handOn?: (connection: Socket) => void): Promise<void>;
}

const maxQuietMs = 2_000;

/** Makes the life of a gateway that does not serve yet. */
export function createProcessLife(
  config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'drainMs'>,
): ProcessLife {
  const stopping = new AbortController();
  const open = new Set<Socket>();
  let address = `http://${urlHost(config.host)}:${config.port}`;
  let isLeaving = false;
  let isServing = false;
  let attached: { readonly app: FastifyInstance } & Parameters<ProcessLife['attach']>[1];
  const publicUrl = () => config.publicUrl ?? address;

  function begin(at: string): void {
    isServing = true;
    address = at;
    attached.onServing(at);
  }

  return {
    state: {
      publicUrl,
      isListening: () => isServing,
      isLeaving: () => isLeaving,
      stopping: stopping.signal,
    },
    publicUrl,
    stopping: stopping.signal,
    isServing: () => isServing,
    assumeAddress(at) {
      address = at ?? address;
    },
    attach(app, hooks) {
      attached = { app, ...hooks };
      app.server.on('connection', (connection: Socket) => {
        open.add(connection);
        connection.once('close', () => open.delete(connection));
      });
    },
    async listen() {
      await attached.beforeServing();
      const at = await listenOn(attached.app, config);
      begin(`http://${urlHost(config.host)}:${new URL(at).port || '80'}`);
      return address;
    },
    async serveAt(at) {
      await attached.beforeServing();
      await attached.app.ready();
      // Node looks for slow clients from here on.
      attached.app.server.emit('listening');
      begin(at);
    },
    take: (connection) => void attached.app.server.emit('connection', connection),
    leave() {
      isLeaving = true;
    },
    async stop(leaveMs = 0, handOn) {
      isLeaving = true;
      if (leaveMs > 0) await delay(leaveMs);
      stopping.abort();
      const { drainMs } = config;
      const { app } = attached;
      // If load balancers got time to notice, clients get time to use their connections once more.
      const quiet = () => untilQuiet(open, Math.min(leaveMs, maxQuietMs), drainMs / 2);
      await (app.server.listening ? drain(app, drainMs, quiet) : drainGiven(app, open, drainMs, handOn));
    },
  };
}
