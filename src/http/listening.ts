import { once } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/settings.ts';
import { HandrailError } from '../domain/errors.ts';
import { errorCode } from '../lib/thrown-errors.ts';

/** Listens, or says what to do about an address that cannot be had. */
export async function listenOn(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE') {
      throw new HandrailError(
        'config_invalid',
        `Port ${port} is in use. Stop what listens there, or choose another: --port ${port + 1} (or --port 0 for any free one).`,
      );
    }
    if (code === 'EACCES')
      throw new HandrailError(
        'config_invalid',
        `Port ${port} needs more rights than this process has; choose one above 1023.`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new HandrailError('config_invalid', `This machine has no address "${host}" to listen on.`);
    throw error;
  }
}

/** The host as it stands in a URL that this machine can open. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

const mostWaitMs = 200;

/**
 * Closes the listening socket when nobody waits in its queue: whoever is connected and not accepted yet would have sent
 * a request that nobody answers, and a proxy must not send that again. With the shortest queue others are not let in,
 * come again later, and are refused then, which a proxy understands.
 */
async function stopListening(server: Server): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own handle, which its types leave out
  const { _handle: handle } = server as unknown as {
    readonly _handle?: { listen?(backlog: number): number } | null;
  };
  handle?.listen?.(0);
  // Those who wait already are accepted in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(close, mostWaitMs);
    function close(): void {
      clearTimeout(timer);
      server.off('connection', close);
      server.close();
      resolve();
    }
    // It was the only one in the queue, which is empty now.
    server.on('connection', close);
  });
}

/** New connections are refused at once; running requests have the drain time to finish. */
export async function drain(app: FastifyInstance, drainMs: number): Promise<void> {
  const { server } = app;
  if (server.listening) {
    const closed = once(server, 'close');
    await stopListening(server);
    // A connection that was busy a moment ago is idle now, and would be kept alive for the next request.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(late);
  }
  await app.close();
}
