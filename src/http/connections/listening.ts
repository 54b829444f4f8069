import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/settings.ts';
import { HandrailError } from '../../domain/errors.ts';
import { errorCode } from '../../lib/thrown-errors.ts';
import { handOnUnused } from './pass-on-connections.ts';
import { stopListening } from './stop-listening.ts';

/** Listens, or says what to do about an address that cannot be had. */
export async function listenOn(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw cannotListen(error, { host, port });
  }
}

/** What to do about an address that cannot be had; what it does not know stays as it is. */
export function cannotListen(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new HandrailError(
        'config_invalid',
        `Port ${port} is in use. Stop what listens there, or choose another: --port ${port + 1} (or --port 0 for any free one).`,
      );
    case 'EACCES':
      return new HandrailError(
        'config_invalid',
        `Port ${port} needs more rights than this process has; choose one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new HandrailError('config_invalid', `This machine has no address "${host}" to listen on.`);
    default:
      return error;
  }
}

/** The host as it stands in a URL that this machine can open. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * New connections are refused at once; running requests have the drain time to finish. With `quiet`, connections that look
 * idle are kept until it resolves.
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
 * The same where somebody else listens and handed the connections over, which are `open`; nothing new comes any more. With
 * `handOn`, connections that nobody uses are handed on instead of being closed.
 */
export async function drainGiven(
  app: FastifyInstance,
  open: ReadonlySet<Socket>,
  drainMs: number,
  handOn?: (connection: Socket) => void,
): Promise<void> {
  const closed = Promise.all(
    [...open].filter((socket) => !socket.closed).map((socket) => once(socket, 'close')),
  );
  await drainConnections(app.server, closed, drainMs, handOn && (() => handOnUnused(open, handOn)));
  await app.close();
}

const lookEveryMs = 100;

/**
 * Resolves once nobody has sent anything for `quietForMs`, at the latest after `maxMs`. Whoever sends something to a
 * gateway that is leaving is told to come by another connection; closing one that somebody is about to use fails a call.
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
  release = () => inQuietTurn(() => server.closeIdleConnections()),
): Promise<void> {
  release();
  // A connection that was busy a moment ago is idle now, and would be kept alive for the next request.
  const sweep = setInterval(release, sweepEveryMs);
  const late = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
}

const sweepEveryMs = 50;
const quietMs = 0.3;
const maxTurns = 20;

/**
 * Runs something right after the system was asked for what came in, and had next to nothing: a connection that looks idle
 * then has no request waiting that nobody has read. A busy process gets no such turn; it goes on after some all the same.
 */
function inQuietTurn(run: () => void, turns = 0, sinceMs = performance.now()): void {
  setImmediate(() => {
    const nowMs = performance.now();
    if (turns > 0 && (nowMs - sinceMs < quietMs || turns >= maxTurns)) run();
    else inQuietTurn(run, turns + 1, nowMs);
  });
}
