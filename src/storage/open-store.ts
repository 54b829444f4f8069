import type { Logger } from 'pino';
import { HandrailError } from '../domain/errors.ts';
import type { Store } from './ports.ts';

/** Where the store is: a data folder (SQLite) or a PostgreSQL address. */
export type StoreOptions = { readonly dataDir: string } | { readonly databaseUrl: string };

/** Opens the store and brings it up to this version; rejects with a HandrailError that says what to do. */
export async function openStore(options: StoreOptions, log?: Pick<Logger, 'warn'>): Promise<Store> {
  try {
    // Only the driver that is used is loaded: every command line waits for it.
    if ('dataDir' in options) {
      const { openSqliteStore } = await import('./sqlite/open-sqlite-store.ts');
      return await openSqliteStore(options.dataDir, log);
    }
    const { openPostgresStore } = await import('./postgres/open-postgres-store.ts');
    return await openPostgresStore(options.databaseUrl, log);
  } catch (thrown) {
    // What may pass by itself later is, at the start, a store that cannot be used.
    if (thrown instanceof HandrailError && thrown.code === 'unavailable') {
      throw new HandrailError('store_unreadable', thrown.message, {}, { cause: thrown });
    }
    throw thrown;
  }
}
