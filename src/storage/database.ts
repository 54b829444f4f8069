import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/** Reads what is committed. It has no way to write. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom'>;

/** The database of a store. */
export interface Database {
  readonly reads: Reader;
  /** Reads several things as they are at one moment. */
  snapshot<T>(work: (at: Reader) => Promise<T>): Promise<T>;
  /**
   * The only way to write. Waits for its place in the queue and for the write lock, then commits what `work` did, or
   * rolls it back when `work` rejects. Once it resolves, everything is committed.
   */
  write<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>;
}
