import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { maskTextFor } from './secrets/mask-secrets.ts';

/** Structured lines on stderr: stdout belongs to MCP in stdio mode. */
export function createLog(
  { logLevel }: { readonly logLevel: Level | 'silent' },
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  const lines = { mask: (line: string) => line };
  const log = pino(
    { level: logLevel, base: null, hooks: { streamWrite: (line) => lines.mask(line) } },
    destination,
  );
  logLines.set(log, lines);
  return log;
}

// A log is made before the secrets are known that must not appear in it.
const logLines = new WeakMap<Logger, { mask: (line: string) => string }>();

/** Masks these secrets in every line from now on. */
export function maskLog(log: Logger, secrets: () => readonly string[]): void {
  const lines = logLines.get(log);
  if (lines !== undefined) lines.mask = (line) => maskTextFor(secrets())(line);
}
