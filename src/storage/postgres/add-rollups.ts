import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import type { RollupStore } from '../ports.ts';
import { rollupColumns, rollupKeyColumns, rollupSumColumns } from '../roll-up.ts';
import type { Tables } from '../schema.ts';
import { rowsOf } from './rows-of.ts';

/** Adds sums to the roll-ups that are there, in one statement. */
export function addRollups(db: Kysely<Tables>): RollupStore['add'] {
  const text =
    // In one order, so that two instances that add to the same rows wait for each other instead of locking up.
    `insert into call_rollups (${rollupColumns.join(', ')}) ${rowsOf(rollupColumns)} order by 1, 2, 3, 4 ` +
    `on conflict (${rollupKeyColumns.join(', ')}) do update set label = excluded.label, ` +
    rollupSumColumns.map((column) => `${column} = call_rollups.${column} + excluded.${column}`).join(', ');
  return async (rows) => {
    if (rows.length > 0) await db.executeQuery(CompiledQuery.raw(text, [JSON.stringify(rows)]));
  };
}
