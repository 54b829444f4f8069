import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect, type Server, type Socket } from 'node:net';

const maxWaitMs = 2_000;

/**
 * Closes a listening socket at a moment at which nobody stands in its queue. Whoever is connected and not accepted yet
 * would have sent a request that nobody answers, and a proxy must not send that again.
 *
 * The queue is made as short as it can be, which is one, and that one place is taken by a connection of our own, in the
 * same turn of the event loop in which the socket is closed. While it is taken the system lets nobody else in: others
 * come again a second later and are refused then, which a proxy understands. Where our own connection does not get the
 * place, somebody else has it: they are accepted in the next turn, and we try again.
 */
export async function stopListening(server: Server): Promise<void> {
  const handle = handleOf(server);
  const address = server.address();
  if (handle?.listen !== undefined && typeof address === 'object' && address !== null) {
    handle.listen(0);
    const deadlineMs = performance.now() + maxWaitMs;
    do {
      // Those who wait already are accepted in this turn.
      await nextTurn();
      const own = connect({ host: ownAddress(address.address), port: address.port });
      own.on('error', () => {});
      // Node connects when this call stack has ended, still in the same turn; on one machine that takes no time.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const isQueued = isConnected(own);
      if (isQueued) server.close();
      own.destroy();
      if (isQueued) return;
    } while (performance.now() < deadlineMs);
  }
  server.close();
}

/** Node's own handle, which its types leave out. */
interface Handle {
  listen?(backlog: number): number;
  getpeername?(into: object): number;
}

function handleOf(of: Server | Socket): Handle | null | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own handle, which its types leave out
  return (of as unknown as { readonly _handle?: Handle | null })._handle;
}

function isConnected(socket: Socket): boolean {
  return handleOf(socket)?.getpeername?.({}) === 0;
}

/** An address of this machine at which the server hears us. */
function ownAddress(listening: string): string {
  if (listening === '0.0.0.0') return '127.0.0.1';
  return listening === '::' ? '::1' : listening;
}
