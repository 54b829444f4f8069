import { Kysely } from 'kysely';
import type { RegistryStore } from '../ports.ts';
import { createRegistryStore } from '../registry-store.ts';
import type { Tables } from '../schema.ts';
import { openInThread } from './connection-in-thread.ts';
import { sqliteDialect, type Turnstile } from './dialect.ts';

// A commit waits for the disk. For a few rows that is a moment; for the megabytes of an import, with the checkpoint that
// follows, it can be tenths of a second in which no call would be answered.
const manyChanges = 50;

/** Writes commits of many changes in a thread of their own, opened for each; others as before. */
export function withLargeCommitsInThread(
  store: RegistryStore,
  file: string,
  pragmas: string,
  writers: Turnstile,
): RegistryStore {
  return {
    ...store,
    async commit(expectedSeq, changes, audit) {
      if (changes.length <= manyChanges) return store.commit(expectedSeq, changes, audit);
      const connection = openInThread(file);
      const db = new Kysely<Tables>({ dialect: sqliteDialect(connection, writers) });
      try {
        await connection.exec(pragmas);
        return await createRegistryStore(db, 'sqlite').commit(expectedSeq, changes, audit);
      } finally {
        await connection.close();
      }
    },
  };
}
