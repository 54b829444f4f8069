import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { parseAddressList, isLoopback } from '../../lib/network/address-list.ts';

/** How many clients may be connected, and how slow they may be. */
export interface ConnectionLimits {
  /** All connections together. */
  readonly maxConnections: number;
  /** Connections of one address, unless it is this machine or a trusted proxy. */
  readonly maxConnectionsPerAddress: number;
  readonly trustProxy: readonly string[];
  /** For a whole request to arrive, and for a client to take more of what is waiting for it. */
  readonly clientTimeoutMs: number;
}

// Longer than the minute after which most clients and proxies close an idle connection themselves: whoever closes first
// should be the one who would use it next.
const keepAliveMs = 72_000;
const lookEveryMs = 2_000;

// A client that takes less than this in its time is not reading, only holding our memory.
const minBytesTaken = 256 * 1024;

/** How much a client had taken when that was last enough. */
interface Progress {
  takenBytes: number;
  sinceMs: number;
}

/**
 * Keeps connections within their limits. Clients that read nothing are found by looking at all of them now and then:
 * a timer or a listener for each answer would cost every call.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, now: () => number): void {
  server.requestTimeout = limits.clientTimeoutMs;
  server.headersTimeout = limits.clientTimeoutMs;
  server.keepAliveTimeout = keepAliveMs;
  server.maxConnections = limits.maxConnections;
  const proxies = parseAddressList(limits.trustProxy);
  const counts = new Map<string, number>();
  const sockets = new Map<Socket, Progress>();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (counts.get(address) ?? 0) + 1;
    const isOwn = isLoopback(address.replace(/^::ffff:/, '')) || proxies.has(address);
    // Node counts those that it accepted itself, not those that a parent handed over.
    const areTooMany = sockets.size >= limits.maxConnections;
    if (areTooMany || (count > limits.maxConnectionsPerAddress && !isOwn)) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    sockets.set(socket, { takenBytes: 0, sinceMs: now() });
    socket.once('close', () => {
      sockets.delete(socket);
      const left = counts.get(address)! - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  });

  const look = setInterval(() => {
    for (const [socket, progress] of sockets) {
      const { waitingBytes, takenBytes } = trafficOf(socket);
      if (waitingBytes === 0 || takenBytes >= progress.takenBytes + minBytesTaken) {
        progress.takenBytes = takenBytes;
        progress.sinceMs = now();
      } else if (now() - progress.sinceMs > limits.clientTimeoutMs) socket.destroy();
    }
  }, lookEveryMs).unref();
  server.on('close', () => clearInterval(look));
}

// `writableLength` stays as it is until the system has taken all of a write; only the handle knows what is left of it. A
// file is written a piece at a time: something of it always waits, and what counts is how much was taken.
function trafficOf(socket: Socket): { readonly waitingBytes: number; readonly takenBytes: number } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own handle, which its types leave out
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly writeQueueSize: number; readonly bytesWritten: number } | null;
  };
  const waitingBytes = socket.writableLength === 0 ? 0 : (handle?.writeQueueSize ?? socket.writableLength);
  return { waitingBytes, takenBytes: (handle?.bytesWritten ?? 0) - waitingBytes };
}
