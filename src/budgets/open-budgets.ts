import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { OnClose } from '../lib/close-stack.ts';
import { createRedisConnection } from './redis/redis-connection.ts';
import { createRedisLedger } from './redis/redis-ledger.ts';
import {
  type BudgetCoordinator,
  createSharedBudgets,
  type SharedBudgets,
  type Trouble,
} from './shared-budgets.ts';
import { type BudgetLedger, createStoreCoordinator } from './store-coordinator.ts';

/** The limits that this process shares with others, if there can be others. */
export interface Budgets {
  /** Null if this process has no way to report to others what it spends. */
  readonly shared: SharedBudgets | null;
  /** Counts this process among those that share them; before it serves. */
  join(): Promise<void>;
  /** For metrics; null where nothing is shared. */
  counts(): (SharedBudgets['counts'] & { readonly away: boolean }) | null;
}

interface BudgetOptions {
  /** The Redis-protocol server that the operator named. */
  readonly redisUrl: string | undefined;
  readonly parent: BudgetCoordinator | null;
  readonly store: {
    readonly budgets: BudgetLedger | null;
    readonly meta: { setIfAbsent(name: string, value: string): Promise<string> };
  };
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}

/**
 * Opens the shared limits where they are kept: on the configured Redis-protocol server, else in the store if several
 * machines can reach it, else in the process that started this one.
 */
export async function openBudgets(options: BudgetOptions): Promise<Budgets> {
  const { parent, log, now, onClose } = options;
  const troubles = createTroubles(log, now);
  const ledger = await openLedger(options);
  const joined =
    ledger && createStoreCoordinator(ledger, troubles.noticedBy('members'), () => parent?.members() ?? 1);
  const coordinator = joined ?? parent;
  if (coordinator === null) return { shared: null, join: async () => {}, counts: () => null };
  const shared = createSharedBudgets(coordinator, now, troubles.noticedBy('asks'));
  if (joined !== null) onClose(() => joined.stop());
  onClose(() => shared.close());
  return {
    shared,
    join: async () => joined?.start(),
    counts: () => ({ ...shared.counts, away: troubles.isAway() }),
  };
}

async function openLedger({ redisUrl, store, onClose }: BudgetOptions): Promise<BudgetLedger | null> {
  if (redisUrl === undefined) return store.budgets;
  const connection = createRedisConnection(redisUrl);
  onClose(() => connection.close());
  // Those who share a registry share its limits; a copy of one has the same APIs.
  return createRedisLedger(connection, await store.meta.setIfAbsent('budgets_scope', randomUUID()));
}

// A ledger that is up and down repeatedly is one outage, not many.
const wellForMs = 10_000;

/** Logs an outage of the ledger once, and its end once everything that noticed it has worked again for a while. */
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
