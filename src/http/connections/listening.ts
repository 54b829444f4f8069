import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/settings.ts';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { errorCode } from '../../lib/thrown-errors.ts';
import { passOnUnused } from './pass-on-connections.ts';
import { stopListening } from './stop-listening.ts';

/** Starts listening; throws an error with advice if the address is not available. */
export async function listenOn(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, { host, port });
  }
}

/** Turns a listen error into one with advice; returns unknown errors unchanged. */
export function listenError(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return httpErrors.portInUse({ port });
    case 'EACCES':
      return httpErrors.portNotPermitted({ port });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return httpErrors.addressNotAvailable({ host });
    default:
      return error;
  }
}

/** The host for a URL that this machine can open. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Refuses new connections immediately and gives running requests the drain time to finish. With `quiet`, idle
 * connections stay open until it resolves.
 */
export async function drain(
  app: FastifyInstance,
  drainMs: number,
  quiet: () => Promise<void> = async () => {},
): Promise<void> {
  const { server } = app;
  if (server.listening) {
    const closed = once(server, 'close');
    await stopListening(server);
    await quiet();
    await drainConnections(server, closed, drainMs);
  }
  await app.close();
}

/**
 * The same when another process listens and passed us the connections in `open`, with no more to follow. With
 * `passOn`, unused connections are passed on instead of closed.
 */
export async function drainGiven(
  app: FastifyInstance,
  open: ReadonlySet<Socket>,
  drainMs: number,
  passOn?: (connection: Socket) => void,
): Promise<void> {
  const closed = Promise.all(
    [...open].filter((socket) => !socket.closed).map((socket) => once(socket, 'close')),
  );
  await drainConnections(app.server, closed, drainMs, passOn && (() => passOnUnused(open, passOn)));
  await app.close();
}

const lookEveryMs = 100;

/**
 * Resolves once no client has sent anything for `quietForMs`, but no later than after `maxMs`. A client that sends a
 * request to a leaving gateway is asked to close the connection; closing one that a client is about to use would fail
 * a call.
 */
export async function untilQuiet(
  open: ReadonlySet<Socket>,
  quietForMs: number,
  maxMs: number,
): Promise<void> {
  if (quietForMs === 0) return;
  const deadlineMs = performance.now() + maxMs;
  let readBefore = -1;
  let quietSinceMs = performance.now();
  while (open.size > 0 && performance.now() < deadlineMs) {
    const read = [...open].reduce((sum, socket) => sum + socket.bytesRead, 0);
    if (read !== readBefore) quietSinceMs = performance.now();
    if (performance.now() - quietSinceMs >= quietForMs) return;
    readBefore = read;
    await delay(lookEveryMs);
  }
}

async function drainConnections(
  server: Server,
  closed: Promise<unknown>,
  drainMs: number,
  release = () => inQuietTick(() => server.closeIdleConnections()),
): Promise<void> {
  release();
  // A connection that has become idle since would otherwise be kept alive for the next request.
  const sweep = setInterval(release, sweepEveryMs);
  const late = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
}

const sweepEveryMs = 50;
const quietMs = 0.3;
const maxTicks = 20;

/**
 * Runs something right after an event-loop tick with almost no input: a connection that looks idle then has no unread
 * request waiting. A busy process may never have such a tick, so it runs after `maxTicks` anyway.
 */
function inQuietTick(run: () => void, ticks = 0, sinceMs = performance.now()): void {
  setImmediate(() => {
    const nowMs = performance.now();
    if (ticks > 0 && (nowMs - sinceMs < quietMs || ticks >= maxTicks)) run();
    else inQuietTick(run, ticks + 1, nowMs);
  });
}
