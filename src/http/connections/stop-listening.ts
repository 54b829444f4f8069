import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect, type Server, type Socket } from 'node:net';

const maxWaitMs = 2_000;

/**
 * Closes a listening socket while its accept queue is empty. A client that is connected but not yet accepted may have
 * sent a request that would never be answered, and a proxy must not retry it.
 *
 * The queue is shortened to the minimum of one, and that one slot is taken by our own connection in the same
 * event-loop tick in which the socket is closed. While the slot is taken, the system drops other connection attempts;
 * they retry a second later and are refused, which proxies handle. If our own connection doesn't get the slot,
 * another client has it: it is accepted in the next tick, and we try again.
 */
export async function stopListening(server: Server): Promise<void> {
  const handle = handleOf(server);
  const address = server.address();
  if (handle?.listen !== undefined && typeof address === 'object' && address !== null) {
    handle.listen(0);
    const deadlineMs = performance.now() + maxWaitMs;
    do {
      // Clients already in the queue are accepted in this tick.
      await nextTurn();
      const own = connect({ host: ownAddress(address.address), port: address.port });
      own.on('error', () => {});
      // Node connects after this call stack, still in the same tick; on the same machine that is immediate.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const isQueued = isConnected(own);
      if (isQueued) server.close();
      own.destroy();
      if (isQueued) return;
    } while (performance.now() < deadlineMs);
  }
  server.close();
}

/** Node's internal handle, which its types omit. */
interface Handle {
  listen?(backlog: number): number;
  getpeername?(into: object): number;
}

function handleOf(of: Server | Socket): Handle | null | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's internal handle, which its types omit
  return (of as unknown as { readonly _handle?: Handle | null })._handle;
}

function isConnected(socket: Socket): boolean {
  return handleOf(socket)?.getpeername?.({}) === 0;
}

/** A local address at which we can reach the server. */
function ownAddress(listening: string): string {
  if (listening === '0.0.0.0') return '127.0.0.1';
  return listening === '::' ? '::1' : listening;
}
