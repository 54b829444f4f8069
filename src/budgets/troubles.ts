import type { Logger } from 'pino';
import type { Trouble } from './shared-budgets.ts';

// A ledger that comes and goes is one trouble, not many.
const wellForMs = 10_000;

/** Says once that the ledger is away, whoever notices first, and once that all who noticed have had it back for a while. */
export function createTroubles(log: Pick<Logger, 'info' | 'warn'>, now: () => number) {
  const noticed = new Set<string>();
  let isSaid = false;
  let wellSinceMs: number | null = null;
  return {
    isAway: () => noticed.size > 0,
    noticedBy: (who: string): Trouble => ({
      began(err) {
        noticed.add(who);
        wellSinceMs = null;
        if (isSaid) return;
        isSaid = true;
        log.warn({ err }, 'shared limits cannot be asked for: this process keeps to its share of them');
      },
      ended() {
        noticed.delete(who);
        if (!isSaid || noticed.size > 0) return;
        wellSinceMs ??= now();
        if (now() - wellSinceMs < wellForMs) return;
        isSaid = false;
        log.info('shared limits can be asked for again');
      },
    }),
  };
}
