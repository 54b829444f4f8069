import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import { callColumns, toValues } from '../call-rows.ts';
import type { CallStore } from '../ports.ts';
import type { Tables } from '../schema.ts';
import { rowsOf } from './rows-of.ts';

/** Adds call records in one statement with one parameter, however many there are. */
export function addCalls(db: Kysely<Tables>): CallStore['add'] {
  const text =
    `insert into call_records (${callColumns.join(', ')}) ${rowsOf(callColumns)} ` +
    'on conflict (id) do nothing returning id';
  return async (records) => {
    if (records.length === 0) return [];
    const { rows } = await db.executeQuery<{ id: string }>(
      CompiledQuery.raw(text, [JSON.stringify(records.map(toValues))]),
    );
    const added = new Set(rows.map((row) => row.id));
    // A batch may name a record twice.
    return records.filter((record) => added.delete(record.id));
  };
}
