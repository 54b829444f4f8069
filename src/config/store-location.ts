import type { Config } from './settings.ts';

type StoreSettings = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** Whether the store is the embedded database in the data folder, which no other machine can share. */
export function isEmbedded({ databaseUrl }: StoreSettings): boolean {
  return databaseUrl === undefined;
}

/** Where the store is: the data folder of the embedded database, or the URL of PostgreSQL. */
export function storeLocation({ dataDir, databaseUrl }: StoreSettings) {
  return databaseUrl === undefined ? { dataDir } : { databaseUrl };
}
