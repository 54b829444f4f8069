// The databases that can be filled, each with the few functions that filling needs.
import { join } from 'node:path';
import pg from 'pg';
import { openSqlite } from '../../../dist/storage/sqlite/driver.js';
import { insertStatement, recordOf } from './made-up-calls.js';

// As many as the recorder passes on under load.
const recordsPerBatch = 250;

/** The SQLite file of a store's data folder; records go through the store, as the recorder's do. */
export function sqliteFile(folder, store) {
  const connection = openSqlite(join(folder, 'handrail.db'));
  connection.exec('pragma busy_timeout = 5000');
  const query = async (text) => connection.run(text, []).rows;
  return {
    run: async (text) => connection.exec(text),
    query,
    async addCalls({ first, last, wanted, toMs }) {
      for (let from = first; from <= last; from += recordsPerBatch) {
        const end = Math.min(from + recordsPerBatch, last + 1);
        const batch = store.calls.newBatch();
        for (let n = from; n < end; n++) batch.add(recordOf(n, wanted, toMs));
        await store.calls.write(batch);
      }
    },
    indexes: async () => [],
    failures: () => query('select sum(failures) as failed from call_segments'),
    settle: async () => connection.exec('pragma wal_checkpoint(truncate)'),
    close: async () => connection.close(),
  };
}

/** A PostgreSQL database that a store migrated. */
export async function postgresDatabase(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = async (text) => (await client.query(text)).rows;
  return {
    run: query,
    query,
    addCalls: (part) => query(insertStatement(part)),
    indexes: () =>
      query(
        `select indexname as name, indexdef as definition from pg_indexes where tablename = 'call_records' and indexname not like '%pkey'`,
      ),
    failures: () => query(`select count(*) as failed from call_records where outcome <> 'ok'`),
    settle: () => query('analyze call_records'),
    close: () => client.end(),
  };
}
