import type { Socket } from 'node:net';

/**
 * Takes the connections on which nobody waits for anything out of this process and hands them on, to be served by another
 * one. What a client sends from here on is not read by us any more and waits for whoever takes the connection. Calling it
 * again hands on those that have become free since.
 */
export function handOnUnused(open: ReadonlySet<Socket>, handOn: (connection: Socket) => void): void {
  for (const connection of open) if (isUnused(connection)) handOn(released(connection));
}

/**
 * No request is under way, nor the beginning of one, and the client has not left. A parser that has begun nothing says
 * that it has been at it for no time; one of a new connection counts from the start.
 */
function isUnused(connection: Socket): boolean {
  const { _handle: handle, _httpMessage: answer, parser } = insideOf(connection);
  if (!handle?.readStop || !parser?.duration || connection.readableEnded || connection.destroyed)
    return false;
  return !answer && handle.writeQueueSize === 0 && (connection.bytesRead === 0 || parser.duration() === 0);
}

function released(connection: Socket): Socket {
  const inside = insideOf(connection);
  inside._handle!.readStop!();
  inside._handle!.reading = false;
  connection.setTimeout(0);
  // Node would count it as one of those that this server has accepted.
  inside.server = undefined;
  return connection;
}

/** Stops a connection that another process handed on from being read here, where it only passes. */
export function passOn(connection: Socket): Socket {
  insideOf(connection)._handle?.readStop?.();
  return connection;
}

/** What Node's types leave out. */
interface Inside {
  readonly _handle?: { readStop?(): number; reading: boolean; readonly writeQueueSize: number } | null;
  /** The answer that is being written. */
  readonly _httpMessage?: unknown;
  readonly parser?: { duration?(): number } | null;
  server?: unknown;
}

function insideOf(connection: Socket): Inside {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own parts, which its types leave out
  return connection as unknown as Inside;
}
