import { join } from 'node:path';
import pg from 'pg';
import { openSqlite } from '../../src/storage/sqlite/driver.ts';

/** Where a gateway keeps its rows. */
export type Place = { readonly dataDir: string } | { readonly databaseUrl: string };

/** The rows of a store, past everything that checks them. */
export interface RawRows {
  run(sql: string, values?: readonly (string | number | null)[]): Promise<readonly Record<string, unknown>[]>;
}

/** Reads and writes rows as somebody with the database at hand would. Values are `?`; the gateway must be closed. */
export async function editRows<T>(place: Place, edit: (rows: RawRows) => Promise<T>): Promise<T> {
  if ('dataDir' in place) {
    const connection = openSqlite(join(place.dataDir, 'handrail.db'));
    try {
      return await edit({
        run: async (sql, values = []) => connection.run(sql, values).rows as Record<string, unknown>[],
      });
    } finally {
      connection.close();
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    return await edit({
      async run(sql, values = []) {
        let n = 0;
        const { rows } = await client.query(
          sql.replace(/\?/g, () => `$${++n}`),
          [...values],
        );
        return rows as Record<string, unknown>[];
      },
    });
  } finally {
    await client.end();
  }
}
