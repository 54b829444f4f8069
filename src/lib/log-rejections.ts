import { inspect } from 'node:util';
import type { Logger } from 'pino';

const message = 'something failed in the background';

/**
 * The last net: work in the background that failed and that nobody waits for is written down with its cause and counted,
 * and the process goes on. Whoever asked for something was answered; ending every other call would not mend it.
 */
export function logRejections(log: Logger, metrics: { countBackgroundFailure(): void }): void {
  process.on('unhandledRejection', (reason) => {
    metrics.countBackgroundFailure();
    try {
      const err = reason instanceof Error ? reason : new Error(inspect(reason, { customInspect: false }));
      log.error({ err }, message);
    } catch {
      // Anything can be thrown, also what throws when it is looked at; what is thrown here would end the process.
      log.error(`${message}, for a reason that cannot be shown`);
    }
  });
}
