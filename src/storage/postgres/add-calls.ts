import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import { callColumns, toValues } from '../call-rows.ts';
import type { CallStore } from '../ports.ts';
import { rollupColumns, rollupKeyColumns, rollupSumColumns, rollUp } from '../roll-up.ts';
import type { Tables } from '../schema.ts';

const types: Readonly<Record<string, string>> = {
  started_at_ms: 'bigint',
  duration_ms: 'double precision',
  upstream_ms: 'double precision',
  upstream_status: 'integer',
  tries: 'integer',
  cached: 'integer',
  request_bytes: 'bigint',
  reply_bytes: 'bigint',
  output_tokens: 'integer',
  start_ms: 'bigint',
  calls: 'bigint',
  errors: 'bigint',
};

/** Selects the rows of a JSON array of arrays. As `json` the text would be parsed anew for each column. */
function rowsOf(columns: readonly string[]): string {
  const values = columns.map(
    (column, index) =>
      `(value ->> ${index})::${types[column] ?? (/^h\d+$/.test(column) ? 'integer' : 'text')}`,
  );
  return `select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as batch (value)`;
}

/** Adds call records, and adds them up, in two statements with one parameter each, however many there are. */
export function addCalls(db: Kysely<Tables>): CallStore['add'] {
  const insert =
    `insert into call_records (${callColumns.join(', ')}) ${rowsOf(callColumns)} ` +
    'on conflict (id) do nothing returning id';
  const addUp =
    // In one order, so that two instances that add to the same rows wait for each other instead of locking up.
    `insert into call_rollups (${rollupColumns.join(', ')}) ${rowsOf(rollupColumns)} order by 1, 2, 3, 4 ` +
    `on conflict (${rollupKeyColumns.join(', ')}) do update set label = excluded.label, ` +
    rollupSumColumns.map((column) => `${column} = call_rollups.${column} + excluded.${column}`).join(', ');
  return async (records) => {
    if (records.length === 0) return;
    await db.transaction().execute(async (trx) => {
      const { rows } = await trx.executeQuery<{ id: string }>(
        CompiledQuery.raw(insert, [JSON.stringify(records.map(toValues))]),
      );
      const added = new Set(rows.map((row) => row.id));
      // A batch may name a record twice.
      const counted = records.filter((record) => added.delete(record.id));
      if (counted.length === 0) return;
      await trx.executeQuery(CompiledQuery.raw(addUp, [JSON.stringify(rollUp(counted))]));
    });
  };
}
