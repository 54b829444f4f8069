import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import { type CallRecord, withoutContents } from '../../domain/call.ts';
import { callColumns, toValues } from '../call-rows.ts';
import type { CallStore } from '../ports.ts';
import type { Tables } from '../schema.ts';
import { isRefusedData } from './errors.ts';
import { namesOf, rowsOf } from './rows-of.ts';

/**
 * Writes a batch of call records in one statement with one parameter, however many there are. A record that the database
 * refuses for what is in it does not keep the others from being written: it is found, and written without that.
 */
export function writeCalls(db: Kysely<Tables>): CallStore['write'] {
  const text =
    `insert into call_records (${namesOf(callColumns)}) ${rowsOf(callColumns)} ` +
    'on conflict (id) do nothing';

  const insert = async (records: readonly CallRecord[]): Promise<void> => {
    await db.executeQuery(CompiledQuery.raw(text, [JSON.stringify(records.map(toValues))]));
  };

  const write = async (records: readonly CallRecord[]): Promise<void> => {
    try {
      await insert(records);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      const [only] = records;
      if (records.length === 1) return insert([withoutContents(only!, 'the database refused them')]);
      const half = records.length >> 1;
      await write(records.slice(0, half));
      await write(records.slice(half));
    }
  };

  return async (batch) => {
    if (batch.size > 0) await write(batch.records());
  };
}
