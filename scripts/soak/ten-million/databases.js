// The databases that can be filled, each as the few statements that filling needs.
import { join } from 'node:path';
import pg from 'pg';
import { openSqlite } from '../../../dist/storage/sqlite/driver.js';

/** The SQLite file of a data folder that a store made. */
export function sqliteFile(folder) {
  const connection = openSqlite(join(folder, 'handrail.db'));
  // Nothing here is worth keeping after a power cut.
  connection.exec(
    'pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory; pragma busy_timeout = 5000',
  );
  const query = async (text) => connection.run(text, []).rows;
  return {
    kind: 'sqlite',
    run: async (text) => connection.exec(text),
    query,
    indexes: () =>
      query(
        `select name, sql as definition from sqlite_master where type = 'index' and tbl_name = 'call_records' and sql is not null`,
      ),
    close: async () => connection.close(),
  };
}

/** A PostgreSQL database that a store migrated. */
export async function postgresDatabase(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = async (text) => (await client.query(text)).rows;
  return {
    kind: 'postgres',
    run: query,
    query,
    indexes: () =>
      query(
        `select indexname as name, indexdef as definition from pg_indexes where tablename = 'call_records' and indexname not like '%pkey'`,
      ),
    close: () => client.end(),
  };
}
