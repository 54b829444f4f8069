import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { maskTextFor } from './secrets/mask-secrets.ts';
import { inspect } from 'node:util';

/** Structured lines on stderr: stdout belongs to MCP in stdio mode. */
export function createLog(
  { logLevel }: { readonly logLevel: Level | 'silent' },
  destination: DestinationStream = openStderr(),
): Logger {
  const lines = { mask: (line: string) => line };
  const log = pino(
    { level: logLevel, base: null, hooks: { streamWrite: (line) => lines.mask(line) } },
    destination,
  );
  return Object.assign(log, { [logLines]: lines });
}

// Buffered until it can be written; anything beyond that is lost.
const maxUnwritten = 1024 * 1024;

/**
 * A full disk or a closed terminal must not stop the gateway: lines are buffered, and there is nowhere else to
 * report the failure.
 */
function openStderr(): DestinationStream {
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: maxUnwritten });
  stderr.on('error', () => {});
  return stderr;
}

// The log is created before we know the secrets that must not appear in it.
const logLines = Symbol('log lines');

/** Masks these secrets in every line from now on. */
export function maskLog(
  log: Logger & { readonly [logLines]?: { mask: (line: string) => string } },
  secrets: () => readonly string[],
): void {
  const lines = log[logLines];
  if (lines !== undefined) lines.mask = (line) => maskTextFor(secrets())(line);
}

const message = 'something failed in the background';

/**
 * The last safety net: a background failure that no one handles is logged with its cause and counted, and the
 * process keeps running. The request that started it has already been answered, and ending every other call
 * would not fix it.
 */
export function logRejections(log: Logger, metrics: { countBackgroundFailure(): void }): void {
  process.on('unhandledRejection', (reason) => {
    metrics.countBackgroundFailure();
    try {
      const err = reason instanceof Error ? reason : new Error(inspect(reason, { customInspect: false }));
      log.error({ err }, message);
    } catch {
      // Anything can be thrown, even a value that throws when it is inspected; throwing here would end the
      // process.
      log.error(`${message}, for a reason that cannot be shown`);
    }
  });
}
