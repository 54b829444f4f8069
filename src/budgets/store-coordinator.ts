import { randomUUID } from 'node:crypto';
import type { BudgetAnswer, BudgetAsk } from './ledger.ts';
import type { BudgetCoordinator } from './shared-budgets.ts';

/** A ledger that processes on several machines reach. */
export interface BudgetLedger {
  /** Counts a process among those that share the limits, for a while; tells how many there are. */
  join(member: string, forMs: number): Promise<number>;
  leave(member: string): Promise<void>;
  /** Answers what one of `members` processes asks, in its order; each key once. */
  ask(member: string, members: number, asks: readonly BudgetAsk[]): Promise<readonly BudgetAnswer[]>;
}

const joinEveryMs = 2_000;
const joinForMs = 10_000;

/** Makes this process one of those that share the limits of a ledger, from `start` until `stop`. */
export function createStoreCoordinator(
  ledger: BudgetLedger,
  onTrouble: (error: unknown) => void,
): BudgetCoordinator & { start(): Promise<void>; stop(): Promise<void> } {
  const member = randomUUID();
  let members = 1;
  let joining: Promise<void> | null = null;
  let isTrouble = false;
  let timer: NodeJS.Timeout | undefined;

  async function join(): Promise<void> {
    try {
      members = await ledger.join(member, joinForMs);
      isTrouble = false;
    } catch (error) {
      // The others are most likely still there: what was known last goes on.
      if (!isTrouble) onTrouble(error);
      isTrouble = true;
    }
  }

  return {
    members: () => members,
    ask: (asks) => ledger.ask(member, members, asks),
    async start() {
      await join();
      timer = setInterval(() => {
        joining ??= join().finally(() => (joining = null));
      }, joinEveryMs).unref();
    },
    async stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      await joining;
      await ledger.leave(member).catch(onTrouble);
    },
  };
}
