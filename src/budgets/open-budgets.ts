import type { Logger } from 'pino';
import type { OnClose } from '../lib/close-stack.ts';
import { type BudgetCoordinator, createSharedBudgets, type SharedBudgets } from './shared-budgets.ts';
import { type BudgetLedger, createStoreCoordinator } from './store-coordinator.ts';

/** The limits that this process shares with others, if there can be others. */
export interface Budgets {
  /** Null where no other process can be told of what this one spends. */
  readonly shared: SharedBudgets | null;
  /** Counts this process among those that share them; before it serves. */
  join(): Promise<void>;
}

/** Opens the shared limits on whoever keeps them: the process that started this one, or else the store. */
export function openBudgets(options: {
  readonly parent: BudgetCoordinator | null;
  readonly store: { readonly budgets: BudgetLedger | null };
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Budgets {
  const { store, log, now, onClose } = options;
  const onTrouble = (err: unknown) =>
    log.warn({ err }, 'shared limits cannot be asked for: this process keeps to its share of them');
  const inStore = store.budgets && createStoreCoordinator(store.budgets, onTrouble);
  const coordinator = inStore ?? options.parent;
  if (coordinator === null) return { shared: null, join: async () => {} };
  const shared = createSharedBudgets(coordinator, now, onTrouble);
  if (inStore !== null) onClose(() => inStore.stop());
  onClose(() => shared.close());
  return { shared, join: async () => inStore?.start() };
}
