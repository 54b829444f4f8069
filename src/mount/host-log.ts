import type { Logger } from 'pino';

/** Where trouble that no caller hears of goes; `console` fits. */
export interface MountLog {
  error(message: string, error?: unknown): void;
  warn?(message: string, error?: unknown): void;
}

/** The same, in the form that the modules of the gateway use. */
export interface HostLog {
  error(fields: { readonly err?: unknown }, message: string): void;
  readonly pino: Logger;
}

/** Debug lines are dropped: an app has its own idea of what to log. */
export function hostLog(log: MountLog): HostLog {
  const error = ({ err }: { readonly err?: unknown }, message: string) =>
    log.error(`handrail: ${message}`, err);
  const warn = ({ err }: { readonly err?: unknown }, message: string) =>
    log.warn?.(`handrail: ${message}`, err);
  const drop = () => {};
  const lines = { error, warn, fatal: error, info: drop, debug: drop, trace: drop };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the modules write lines with fields and a message, and nothing else
  return { error, pino: lines as unknown as Logger };
}
