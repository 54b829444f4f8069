import { type Rollup, type RollupDimension, rollupDimensions, type RollupWidth } from '../domain/rollup.ts';
import { bucketCount } from '../lib/histogram.ts';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { RollupStore } from './ports.ts';
import { rollupSumColumns } from './roll-up.ts';
import type { CallRollupRow } from './schema.ts';

/** Keeps roll-ups. How sums are added fast is each database's own. */
export function createRollupStore(db: Database, add: RollupStore['add']): RollupStore {
  return {
    add,

    async find({ dimension, width, fromMs, toMs, name }) {
      const rows = await db.reads
        .selectFrom('call_rollups')
        .selectAll()
        .where('dimension', '=', dimension)
        .where('width', '=', width)
        .where('start_ms', '>=', fromMs)
        .where('start_ms', '<', toMs)
        .$if(name !== undefined, (query) => query.where('name', '=', storable(name!)))
        .orderBy('start_ms')
        .execute();
      return rows.map((row) => toRollup(row, dimension, width));
    },

    async sumByName({ dimension, width, fromMs, toMs, name }) {
      const rows = await db.reads
        .selectFrom('call_rollups')
        .select((eb) => [
          'name',
          eb.fn.max('label').as('label'),
          eb.fn.min('start_ms').as('start_ms'),
          // PostgreSQL sums integers into a type that arrives as text.
          ...rollupSumColumns.map((column) => eb.fn.sum<number>(column).as(column)),
        ])
        .where('dimension', '=', dimension)
        .where('width', '=', width)
        .where('start_ms', '>=', fromMs)
        .where('start_ms', '<', toMs)
        .$if(name !== undefined, (query) => query.where('name', '=', storable(name!)))
        .groupBy('name')
        .execute();
      return rows.map((row) => {
        const sums = Object.fromEntries(rollupSumColumns.map((column) => [column, Number(row[column])]));
        return toRollup({ ...row, ...sums }, dimension, width);
      });
    },

    async findErrors({ dimension, width, fromMs, toMs, name }) {
      const rows = await db.reads
        .selectFrom('call_rollups')
        .select(['name', 'label', 'start_ms', 'errors'])
        .where('dimension', '=', dimension)
        .where('width', '=', width)
        .where('start_ms', '>=', fromMs)
        .where('start_ms', '<', toMs)
        .where('errors', '>', 0)
        .$if(name !== undefined, (query) => query.where('name', '=', storable(name!)))
        .execute();
      return rows.map((row) => ({
        name: row.name,
        label: row.label,
        startMs: row.start_ms,
        errors: row.errors,
      }));
    },

    async purge(width, beforeMs) {
      await db.write((trx) =>
        trx
          .deleteFrom('call_rollups')
          .where('dimension', 'in', rollupDimensions)
          .where('width', '=', width)
          .where('start_ms', '<', beforeMs)
          .execute(),
      );
    },
  };
}

function toRollup(
  row: Omit<CallRollupRow, 'dimension' | 'width'>,
  dimension: RollupDimension,
  width: RollupWidth,
): Rollup {
  return {
    dimension,
    width,
    name: row.name,
    label: row.label,
    startMs: row.start_ms,
    calls: row.calls,
    errors: row.errors,
    requestBytes: row.request_bytes,
    replyBytes: row.reply_bytes,
    outputTokens: row.output_tokens,
    savedTokens: row.saved_tokens,
    durationMs: row.duration_ms,
    histogram: Array.from({ length: bucketCount }, (_, i) => row[`h${i}`]!),
  };
}
