import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RollupStore } from '../ports.ts';
import { rollupColumns, rollupKeyColumns, rollupSumColumns } from '../roll-up.ts';
import type { SqliteDatabase } from './database.ts';

const rowsPerTurn = 50;

const addUp =
  `insert into call_rollups (${rollupColumns.join(', ')}) values (${rollupColumns.map(() => '?').join(', ')}) ` +
  `on conflict (${rollupKeyColumns.join(', ')}) do update set label = excluded.label, ` +
  rollupSumColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ');

/** Adds sums to the roll-ups that are there. */
export function addRollups(db: SqliteDatabase): RollupStore['add'] {
  return async (rows) => {
    if (rows.length === 0) return;
    await db.write(async (_trx, run) => {
      for (const [index, row] of rows.entries()) {
        if (index > 0 && index % rowsPerTurn === 0) await nextTurn();
        run(addUp, row);
      }
    });
  };
}
