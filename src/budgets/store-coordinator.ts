import { randomUUID } from 'node:crypto';
import type { BudgetAnswer, BudgetAsk } from './ledger.ts';
import type { BudgetCoordinator, Trouble } from './shared-budgets.ts';

/** A ledger that processes on several machines reach. */
export interface BudgetLedger {
  /** Adds a process to those that share the limits, for `forMs`; returns how many there are. */
  join(member: string, forMs: number): Promise<number>;
  leave(member: string): Promise<void>;
  /** Answers what one of `members` processes asks, in its order; each key once. */
  ask(member: string, members: number, asks: readonly BudgetAsk[]): Promise<readonly BudgetAnswer[]>;
}

const joinEveryMs = 2_000;
const joinForMs = 10_000;
// A ledger that lost its data, such as a restarted Redis, has every process again within two joins.
const joinsRemembered = 3;

/**
 * Makes this process one of those that share the limits of a ledger, from `start` until `stop`. `atLeast` is how many
 * there are known to be while the ledger has never been heard.
 */
export function createStoreCoordinator(
  ledger: BudgetLedger,
  trouble: Trouble,
  atLeast: () => number,
): BudgetCoordinator & { start(): Promise<void>; stop(): Promise<void> } {
  const member = randomUUID();
  /** How many there were when it joined the last few times. */
  let counted: readonly number[] = [];
  let joining: Promise<void> | null = null;
  let isTrouble = false;
  let timer: NodeJS.Timeout | undefined;

  async function join(): Promise<void> {
    try {
      const members = await ledger.join(member, joinForMs);
      counted = [...counted, members].slice(-joinsRemembered);
      isTrouble = false;
      trouble.ended();
    } catch (error) {
      // The other processes are most likely still running: keep the last known count.
      isTrouble = true;
      trouble.began(error);
    }
  }

  const members = () => Math.max(atLeast(), ...counted);

  return {
    members,
    ask: (asks) => ledger.ask(member, members(), asks),
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
      // The others forget it by themselves, a little later.
      if (isTrouble) return;
      await ledger.leave(member).catch(trouble.began);
    },
  };
}
