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

/** New connections are refused at once; running requests have the drain time to finish. */
export async function drain(app: FastifyInstance, drainMs: number): Promise<void> {
  const { server } = app;
  if (!server.listening) {
    await app.close();
    return;
  }
  await new Promise<void>((resolve) => {
    // A connection that was busy a moment ago is idle now, and would be kept alive for the next request.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(late);
      resolve();
    });
  });
  await app.close();
}
