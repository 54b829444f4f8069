import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import { callColumns, toValues } from '../call-rows.ts';
import type { CallStore } from '../ports.ts';
import type { CallRecordRow, Tables } from '../schema.ts';

const types: Partial<Record<keyof CallRecordRow, string>> = {
  started_at_ms: 'bigint',
  duration_ms: 'double precision',
  upstream_ms: 'double precision',
  upstream_status: 'integer',
  tries: 'integer',
  cached: 'integer',
  request_bytes: 'bigint',
  reply_bytes: 'bigint',
};

/** Adds call records in one statement with one parameter, however many there are. As `json` the text would be parsed anew for each column. */
export function addCalls(db: Kysely<Tables>): CallStore['add'] {
  const values = callColumns.map((column, index) => `(value ->> ${index})::${types[column] ?? 'text'}`);
  const text =
    `insert into call_records (${callColumns.join(', ')}) select ${values.join(', ')} ` +
    'from jsonb_array_elements($1::jsonb) as batch (value) on conflict (id) do nothing';
  return async (records) => {
    if (records.length === 0) return;
    await db.executeQuery(CompiledQuery.raw(text, [JSON.stringify(records.map(toValues))]));
  };
}
