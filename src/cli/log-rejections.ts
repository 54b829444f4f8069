import type { Logger } from 'pino';

/**
 * The last net: work in the background that failed and that nobody waits for is written down with its cause, and the
 * process goes on. Whoever asked for something was answered; ending every other call would not mend it.
 */
export function logRejections(log: Logger): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'something failed in the background'));
}
