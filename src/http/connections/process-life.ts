import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/settings.ts';
import { drain, drainGiven, listenOn, untilQuiet, urlHost } from './listening.ts';

/** The lifecycle state that the rest of a gateway can see. */
export interface LifeState {
  /** The URL for clients, without a trailing slash; final once the gateway listens. */
  readonly publicUrl: () => string;
  /** Whether requests can arrive over the network; false in the in-process gateway of a command. */
  readonly isListening: () => boolean;
  /** Whether the process is stopping and only serves until load balancers have noticed. */
  readonly isLeaving: () => boolean;
  /** Aborted when the process stops; ends streams on which clients only listen. */
  readonly stopping: AbortSignal;
}

/** The lifecycle of a gateway process: where it serves, and how it stops. */
export interface ProcessLife {
  readonly state: LifeState;
  readonly publicUrl: () => string;
  readonly stopping: AbortSignal;
  isServing(): boolean;
  /** Sets the address to report until the gateway listens; null keeps the configured one. */
  assumeAddress(address: string | null): void;
  /** Sets the app to serve and the hooks to run before and after serving starts. */
  attach(
    app: FastifyInstance,
    hooks: {
      readonly beforeServing: () => Promise<void>;
      readonly onServing: (address: string) => void;
    },
  ): void;
  /** Starts listening and returns the address. */
  listen(): Promise<string>;
  /** Serves the connections passed to `take` while another process listens at this address. */
  serveAt(address: string): Promise<void>;
  /** Takes over a client's connection. */
  take(connection: Socket): void;
  /** Reports from now on that it is leaving, but keeps serving. */
  leave(): void;
  /**
   * Keeps serving for `leaveMs` while reporting that it is leaving, so that load balancers stop sending requests.
   * Then stops listening and lets running calls finish within the drain time. With `passOn`, unused connections
   * received from another process are passed on instead of closed.
   */
  stop(leaveMs?: number, passOn?: (connection: Socket) => void): Promise<void>;
}

const maxQuietMs = 2_000;

/** Creates the lifecycle of a gateway that isn't serving yet. */
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
      // This starts Node's checks for slow clients.
      attached.app.server.emit('listening');
      begin(at);
    },
    take: (connection) => void attached.app.server.emit('connection', connection),
    leave() {
      isLeaving = true;
    },
    async stop(leaveMs = 0, passOn) {
      isLeaving = true;
      if (leaveMs > 0) await delay(leaveMs);
      stopping.abort();
      const { drainMs } = config;
      const { app } = attached;
      // If load balancers got time to notice, give clients time to use their connections once more.
      const quiet = () => untilQuiet(open, Math.min(leaveMs, maxQuietMs), drainMs / 2);
      await (app.server.listening ? drain(app, drainMs, quiet) : drainGiven(app, open, drainMs, passOn));
    },
  };
}
