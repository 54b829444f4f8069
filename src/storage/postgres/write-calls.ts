import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import { callColumns, toValues } from '../call-rows.ts';
import type { CallStore } from '../ports.ts';
import type { Tables } from '../schema.ts';
import { namesOf, rowsOf } from './rows-of.ts';

/** Writes a batch of call records in one statement with one parameter, however many there are. */
export function writeCalls(db: Kysely<Tables>): CallStore['write'] {
  const text =
    `insert into call_records (${namesOf(callColumns)}) ${rowsOf(callColumns)} ` +
    'on conflict (id) do nothing';
  return async (batch) => {
    if (batch.size === 0) return;
    await db.executeQuery(CompiledQuery.raw(text, [JSON.stringify(batch.records().map(toValues))]));
  };
}
