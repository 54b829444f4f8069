import type { Socket } from 'node:net';

/**
 * Releases unused connections from this process and passes them on to another one. This process stops reading them,
 * so whatever a client sends next waits for the new owner. Call it again to pass on connections that became unused
 * since.
 */
export function passOnUnused(open: ReadonlySet<Socket>, passOn: (connection: Socket) => void): void {
  for (const connection of open) if (isUnused(connection)) passOn(release(connection));
}

/**
 * Whether no request is running or partly received, and the client is still connected. The duration of an idle parser
 * is 0, except on a new connection, where it counts from the start.
 */
function isUnused(connection: Socket): boolean {
  const { _handle: handle, _httpMessage: answer, parser } = internalsOf(connection);
  if (!handle?.readStop || !parser?.duration || connection.readableEnded || connection.destroyed)
    return false;
  return !answer && handle.writeQueueSize === 0 && (connection.bytesRead === 0 || parser.duration() === 0);
}

function release(connection: Socket): Socket {
  const inside = internalsOf(connection);
  inside._handle!.readStop!();
  inside._handle!.reading = false;
  connection.setTimeout(0);
  // Otherwise Node would still count it as a connection of this server.
  inside.server = undefined;
  return connection;
}

/** Stops this process from reading a connection that only passes through it to another process. */
export function pauseReading(connection: Socket): Socket {
  internalsOf(connection)._handle?.readStop?.();
  return connection;
}

/** Internals that Node's types omit. */
interface Internals {
  readonly _handle?: { readStop?(): number; reading: boolean; readonly writeQueueSize: number } | null;
  /** The response being written. */
  readonly _httpMessage?: unknown;
  readonly parser?: { duration?(): number } | null;
  server?: unknown;
}

function internalsOf(connection: Socket): Internals {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- internals that Node's types omit
  return connection as unknown as Internals;
}
