import { sql } from 'kysely';
import { emptyBudget, grantLastsMs, readBudget, settle } from '../../budgets/ledger.ts';
import type { BudgetLedger } from '../../budgets/store-coordinator.ts';
import type { Database } from '../database.ts';

// The clock of the database: those of several machines may differ.
const clock = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const cleanEveryMs = 60_000;

/** Keeps the ledger of limits that processes on several machines share, a row for each. */
export function createBudgetStore(db: Database): BudgetLedger {
  let cleanedAtMs = 0;
  return {
    async join(member, forMs) {
      await db.write((trx) =>
        sql`insert into budget_members (id, until_ms) values (${member}, ${clock} + cast(${forMs} as bigint))
          on conflict (id) do update set until_ms = excluded.until_ms`.execute(trx),
      );
      const { members } = await db.reads
        .selectFrom('budget_members')
        .select(({ fn }) => fn.countAll<number>().as('members'))
        .where('until_ms', '>', clock)
        .executeTakeFirstOrThrow();
      if (Date.now() - cleanedAtMs > cleanEveryMs) {
        cleanedAtMs = Date.now();
        for (const table of ['budget_members', 'budgets'] as const)
          await db.write((trx) => trx.deleteFrom(table).where('until_ms', '<=', clock).execute());
      }
      return members;
    },

    async leave(member) {
      await db.write((trx) => sql`delete from budget_members where id = ${member}`.execute(trx));
    },

    async ask(member, members, asks) {
      // Always in one order: two processes that ask about the same two limits must not wait for each other.
      const keys = asks.map(({ key }) => key).toSorted();
      return db.write(async (trx) => {
        const { rows } = await sql<{ key: string; state: string; now_ms: number }>`
          insert into budgets (key, state, until_ms)
          select key, ${JSON.stringify(emptyBudget)}, 0 from unnest(${keys}::text[]) as key order by key
          on conflict (key) do update set until_ms = budgets.until_ms
          returning key, state, ${clock} as now_ms`.execute(trx);
        const nowMs = Math.max(...rows.map((row) => row.now_ms));
        const states = new Map(rows.map((row) => [row.key, readBudget(row.state)]));
        const settled = asks.map((ask) => settle(states.get(ask.key)!, ask, member, members, nowMs));
        const texts = settled.map(({ state }) => JSON.stringify(state));
        const untils = asks.map(({ windowMs }) => nowMs + windowMs + grantLastsMs);
        await sql`update budgets set state = settled.state, until_ms = settled.until_ms
          from unnest(${asks.map(({ key }) => key)}::text[], ${texts}::text[], ${untils}::bigint[])
            as settled (key, state, until_ms)
          where budgets.key = settled.key`.execute(trx);
        return settled.map(({ answer }) => answer);
      });
    },
  };
}
