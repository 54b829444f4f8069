import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** An address that stays while what answers behind it changes, as a load balancer's does. */
export interface TcpSwitch {
  readonly url: string;
  /** Sends connections from now on to the server at this address; those that are open stay where they are. */
  pointTo(url: string): void;
  /**
   * Resolves when both sides have ended the connections that are open now. A client that has not yet seen the end
   * of one would still send a request into it, and that request is lost.
   */
  ended(): Promise<void>;
  /** Carries nothing more, in either direction, and closes nothing: a network that swallows; until it is thawed. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Listens on a free port and carries bytes to the server it points to. */
export async function startTcpSwitch(target: string): Promise<TcpSwitch> {
  let port = Number(new URL(target).port);
  /** Where what comes from each open socket goes. */
  const goesTo = new Map<Socket, Socket>();
  const open = new Set<Socket>();
  let isFrozen = false;
  // Half-open sockets: the client's connection closes once the client itself has ended its side.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      if (isFrozen) from.pause();
      else from.pipe(to);
      goesTo.set(from, to);
      from.on('error', () => to.end());
      from.on('close', () => {
        open.delete(from);
        goesTo.delete(from);
        to.end();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pointTo(url) {
      port = Number(new URL(url).port);
    },
    async ended() {
      await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
    freeze() {
      isFrozen = true;
      for (const from of goesTo.keys()) from.unpipe().pause();
    },
    thaw() {
      isFrozen = false;
      for (const [from, to] of goesTo) from.pipe(to);
    },
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
