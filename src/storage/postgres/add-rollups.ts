import { CompiledQuery } from 'kysely';
import type { Database } from '../database.ts';
import type { RollupStore } from '../ports.ts';
import { rollupColumns, rollupKeyColumns, rollupSumColumns } from '../roll-up.ts';

const types: Readonly<Partial<Record<(typeof rollupColumns)[number], string>>> = {
  dimension: 'text',
  width: 'text',
  start_ms: 'bigint',
  name: 'text',
  label: 'text',
  calls: 'bigint',
  errors: 'bigint',
  request_bytes: 'bigint',
  reply_bytes: 'bigint',
  output_tokens: 'bigint',
  duration_ms: 'double precision',
  saved_tokens: 'bigint',
};

/** What has no type of its own counts calls of a bucket. */
const columns: readonly TypedColumn[] = rollupColumns.map((name) => [name, types[name] ?? 'integer']);

/** Adds sums to the roll-ups that are there, in one statement. */
export function addRollups(db: Database): RollupStore['add'] {
  const text =
    // In one order, so that two instances that add to the same rows wait for each other instead of locking up.
    `insert into call_rollups (${namesOf(columns)}) ${rowsOf(columns)} order by 1, 2, 3, 4 ` +
    `on conflict (${rollupKeyColumns.join(', ')}) do update set label = excluded.label, ` +
    rollupSumColumns.map((column) => `${column} = call_rollups.${column} + excluded.${column}`).join(', ');
  return async (rows) => {
    if (rows.length > 0)
      await db.write((trx) => trx.executeQuery(CompiledQuery.raw(text, [JSON.stringify(rows)])));
  };
}

/** A column with PostgreSQL's name of its type. */
type TypedColumn = readonly [name: string, type: string];

/**
 * Selects the rows of a JSON array of arrays, the first parameter of the statement. As `json` the text would be parsed
 * again for each column.
 */
export function rowsOf(typed: readonly TypedColumn[]): string {
  const values = typed.map(([, type], index) => `(value ->> ${index})::${type}`);
  return `select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as batch (value)`;
}

/** Their names, for a statement. */
export function namesOf(typed: readonly TypedColumn[]): string {
  return typed.map(([name]) => name).join(', ');
}
