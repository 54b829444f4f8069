import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { maskTextFor } from './secrets/mask-secrets.ts';

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
  logLines.set(log, lines);
  return log;
}

// Kept until it can be written; more than that is lost.
const mostUnwritten = 1024 * 1024;

/** A full disk or a closed terminal must not end what the log is about: lines wait, and there is nobody else to tell. */
function openStderr(): DestinationStream {
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: mostUnwritten });
  stderr.on('error', () => {});
  return stderr;
}

// A log is made before the secrets are known that must not appear in it.
const logLines = new WeakMap<Logger, { mask: (line: string) => string }>();

/** Masks these secrets in every line from now on. */
export function maskLog(log: Logger, secrets: () => readonly string[]): void {
  const lines = logLines.get(log);
  if (lines !== undefined) lines.mask = (line) => maskTextFor(secrets())(line);
}
