import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { LeaseStore, Store } from './ports.ts';

// The clock of the database where processes are on several machines, whose own clocks may differ.
const clock = {
  postgres: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  sqlite: sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`,
};

/** Keeps leases among the small facts, each as the moment at which it ends and its owner. */
export function createLeaseStore(db: Database, kind: Store['kind']): LeaseStore {
  const named = (name: string) => `lease:${name}`;
  return {
    async claim(name, owner, forMs) {
      // Moments have 13 digits until the year 2286, so that their texts sort as they do.
      const until = sql<string>`cast(${clock[kind]} + cast(${forMs} as bigint) as text) || ${` ${owner}`}`;
      const { rows } = await db.write((trx) =>
        sql`insert into meta (name, value) values (${named(name)}, ${until})
            on conflict (name) do update set value = excluded.value
            where substr(meta.value, 1, 13) < cast(${clock[kind]} as text) or substr(meta.value, 15) = ${owner}
            returning name`.execute(trx),
      );
      return rows.length === 1;
    },
    async release(name, owner) {
      await db.write((trx) =>
        trx
          .deleteFrom('meta')
          .where('name', '=', named(name))
          .where(sql<string>`substr(value, 15)`, '=', owner)
          .execute(),
      );
    },
  };
}
