import { type BudgetAnswer, type BudgetAsk, type BudgetState, emptyBudget, settle } from './ledger.ts';

/** The ledger of limits that processes of one machine share, in the memory of the one that started them. */
export interface MemoryLedger {
  ask(member: string, members: number, asks: readonly BudgetAsk[]): readonly BudgetAnswer[];
}

const maxBudgets = 50_000;

/** Makes an empty ledger. */
export function createMemoryLedger(now: () => number): MemoryLedger {
  const budgets = new Map<string, { readonly state: BudgetState; readonly windowMs: number }>();

  function forgetOld(nowMs: number): void {
    for (const [key, { state, windowMs }] of budgets) {
      const isHeld = Object.values(state.held).some(([, untilMs]) => untilMs > nowMs);
      const isCounted = state.spent.some(([atMs]) => atMs + windowMs > nowMs);
      if (!isHeld && !isCounted) budgets.delete(key);
    }
  }

  return {
    ask(member, members, asks) {
      const nowMs = now();
      const answers = asks.map((ask) => {
        const settled = settle(budgets.get(ask.key)?.state ?? emptyBudget, ask, member, members, nowMs);
        budgets.set(ask.key, { state: settled.state, windowMs: ask.windowMs });
        return settled.answer;
      });
      if (budgets.size > maxBudgets) forgetOld(nowMs);
      return answers;
    },
  };
}
