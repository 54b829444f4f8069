import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { parseAddressList, isLoopback } from '../../lib/network/address-list.ts';

/** Limits for the number of connections and for slow clients. */
export interface ConnectionLimits {
  /** All connections together. */
  readonly maxConnections: number;
  /** Connections from one address, unless it is this machine or a trusted proxy. */
  readonly maxConnectionsPerAddress: number;
  readonly trustProxy: readonly string[];
  /** How long a request may take to arrive, and how long a client may go without reading its response. */
  readonly clientTimeoutMs: number;
}

// Longer than the minute after which most clients and proxies close an idle connection: the side that would use it
// next should close it first.
const keepAliveMs = 72_000;
const lookEveryMs = 2_000;

// A client that reads less than this within the timeout is only using up our memory.
const minBytesRead = 256 * 1024;

/** How much a client had read when it last made enough progress. */
interface Progress {
  takenBytes: number;
  sinceMs: number;
}

/**
 * Enforces the connection limits. Clients that don't read are found by a periodic scan, because a timer or listener
 * per response would cost every call.
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
    // Node only counts connections that it accepted itself, not those received from a parent process.
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
      if (waitingBytes === 0 || takenBytes >= progress.takenBytes + minBytesRead) {
        progress.takenBytes = takenBytes;
        progress.sinceMs = now();
      } else if (now() - progress.sinceMs > limits.clientTimeoutMs) socket.destroy();
    }
  }, lookEveryMs).unref();
  server.on('close', () => clearInterval(look));
}

// `writableLength` doesn't change until the system has accepted all of a write; only the handle knows how much is
// left. A file is written in chunks, so some of it is always waiting; what counts is how much was read.
function trafficOf(socket: Socket): { readonly waitingBytes: number; readonly takenBytes: number } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own handle, which its types leave out
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly writeQueueSize: number; readonly bytesWritten: number } | null;
  };
  const waitingBytes = socket.writableLength === 0 ? 0 : (handle?.writeQueueSize ?? socket.writableLength);
  return { waitingBytes, takenBytes: (handle?.bytesWritten ?? 0) - waitingBytes };
}
