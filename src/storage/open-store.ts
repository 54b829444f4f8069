import type { Logger } from 'pino';
import { HandrailError } from '../domain/errors.ts';
import type { Store } from './ports.ts';
import { openPostgresStore } from './postgres/open-postgres-store.ts';
import { openSqliteStore } from './sqlite/open-sqlite-store.ts';

/** Where the store is: a data folder (SQLite) or a PostgreSQL address. */
export type StoreOptions = { readonly dataDir: string } | { readonly databaseUrl: string };

/** Opens the store and brings it up to this version; rejects with a HandrailError that says what to do. */
export async function openStore(options: StoreOptions, log?: Pick<Logger, 'warn'>): Promise<Store> {
  try {
    if ('dataDir' in options) return await openSqliteStore(options.dataDir);
    return await openPostgresStore(options.databaseUrl, log);
  } catch (thrown) {
    // What may pass by itself later is, at the start, a store that cannot be used.
    if (thrown instanceof HandrailError && thrown.code === 'unavailable') {
      throw new HandrailError('store_unreadable', thrown.message, {}, { cause: thrown });
    }
    throw thrown;
  }
}
