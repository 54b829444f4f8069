import type { Database } from './database.ts';
import type { MetaStore } from './ports.ts';

/** Keeps small facts by name. */
export function createMetaStore(db: Database): MetaStore {
  const get: MetaStore['get'] = async (name) => {
    const row = await db.reads.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
    return row?.value ?? null;
  };
  return {
    get,
    async set(name, value) {
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ name, value })
          .onConflict((c) => c.column('name').doUpdateSet({ value }))
          .execute(),
      );
    },
    async setIfAbsent(name, value) {
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ name, value })
          .onConflict((c) => c.column('name').doNothing())
          .execute(),
      );
      // Someone may delete it in between; then what we wrote is as true as anything.
      return (await get(name)) ?? value;
    },
    async setAll(facts) {
      if (facts.length === 0) return;
      await db.write(async (trx) => {
        for (const [name, value] of facts) {
          await trx
            .insertInto('meta')
            .values({ name, value })
            .onConflict((c) => c.column('name').doUpdateSet({ value }))
            .execute();
        }
      });
    },
    async getAll(prefix) {
      const rows = await db.reads
        .selectFrom('meta')
        .selectAll()
        .where('name', '>=', prefix)
        .where('name', '<', `${prefix}\uffff`)
        .execute();
      // A locale may sort names differently from their bytes; what slipped in between is left out.
      return rows.filter((row) => row.name.startsWith(prefix)).map((row) => [row.name, row.value] as const);
    },
    async delete(name) {
      await db.write((trx) => trx.deleteFrom('meta').where('name', '=', name).execute());
    },
  };
}
