import type { Kysely } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RollupStore } from '../ports.ts';
import { rollupColumns, rollupKeyColumns, rollupSumColumns } from '../roll-up.ts';
import type { Tables } from '../schema.ts';
import type { SqliteConnection } from './driver.ts';

const rowsPerTurn = 50;

/** Adds sums to the roll-ups that are there. `connection` must be the one that `db` uses. */
export function addRollups(db: Kysely<Tables>, connection: SqliteConnection): RollupStore['add'] {
  const addUp = connection.prepareStatement(
    `insert into call_rollups (${rollupColumns.join(', ')}) values (${rollupColumns.map(() => '?').join(', ')}) ` +
      `on conflict (${rollupKeyColumns.join(', ')}) do update set label = excluded.label, ` +
      rollupSumColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', '),
  );
  return async (rows) => {
    if (rows.length === 0) return;
    await db.transaction().execute(async () => {
      for (const [index, row] of rows.entries()) {
        if (index > 0 && index % rowsPerTurn === 0) await nextTurn();
        addUp(row);
      }
    });
  };
}
