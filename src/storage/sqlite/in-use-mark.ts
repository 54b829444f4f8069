import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { sqliteErrorCode, type SqliteConnection } from './driver.ts';

// While a store is in use, most of it can be in the write-ahead log (handrail.db-wal). A copy of handrail.db alone is then
// a valid database that lacks everything recent, or all of it. So around each checkpoint SQLite's `user_version` is first
// set to `partial`, which goes into the file, and then to `whole`, which stays in the log: with the log the store is whole,
// without it the file says that it isn't. Whatever closes the store last moves the log into the file, and `whole` with it.

/** What a store says about itself; 0 is a file that was closed, or never had a log. */
export const marks = { closed: 0, partial: 1, whole: 2 } as const;

// Fields of an SQLite file header, https://www.sqlite.org/fileformat.html#the_database_header
const headerBytes = 100;
const writeVersionAt = 18;
const userVersionAt = 60;
const walVersion = 2;

const closeRaceMs = 1_000;
const lookAgainMs = 50;
const lockWaitMs = 1_000;

/**
 * Whether a database file says that it is nothing without its write-ahead log. Reads the file itself, which only a process
 * without a connection to it may do: closing a file ends all locks that the process has on it.
 */
export function isMarkedPartial(file: string): boolean {
  if (!existsSync(file)) return false;
  const header = Buffer.alloc(headerBytes);
  const opened = openSync(file, 'r');
  try {
    if (readSync(opened, header, 0, headerBytes, 0) < headerBytes) return false;
  } finally {
    closeSync(opened);
  }
  return header[writeVersionAt] === walVersion && header.readUInt32BE(userVersionAt) === marks.partial;
}

/** Whether the write-ahead log of a database file is missing; under the same condition. */
export function isWalMissing(file: string): boolean {
  return isMarkedPartial(file) && !existsSync(`${file}-wal`);
}

/** Rejects when the write-ahead log of a database file is missing; under the same condition. */
export async function requireWal(file: string, dataDir: string): Promise<void> {
  const deadline = performance.now() + closeRaceMs;
  // Another process may be about to write the first change of a new log.
  while (isWalMissing(file)) {
    if (performance.now() > deadline)
      throw storageErrors.walMissing({ what: `handrail.db in the data folder ${dataDir}` });
    await sleep(lookAgainMs);
  }
}

/** What the store says about itself now, log included. */
export function readMark(connection: Pick<SqliteConnection, 'run'>): unknown {
  return objectOr(connection.run('pragma user_version', []).rows[0])['user_version'];
}

/** Sets the mark, within a transaction. */
export function setMark(connection: Pick<SqliteConnection, 'exec'>, mark: keyof typeof marks): void {
  connection.exec(`pragma user_version = ${marks[mark]}`);
}

/**
 * Marks the store as closed, before its last checkpoint. A process that still uses it notices with its next write. One that
 * keeps the store locked also keeps its log in place, so the mark can stay.
 */
export async function markClosed(connection: SqliteConnection): Promise<void> {
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    try {
      if (readMark(connection) === marks.closed) return;
      connection.exec('begin immediate');
      setMark(connection, 'closed');
      connection.exec('commit');
      return;
    } catch (thrown) {
      if (connection.inTransaction) connection.exec('rollback');
      const code = sqliteErrorCode(thrown);
      if (code === undefined) throw thrown;
      // A full or read-only disk, or damage: closing continues, and the next process to open the store reports it.
      if (!code.startsWith('SQLITE_BUSY') || performance.now() >= deadline) return;
    }
    await sleep(2);
  }
}
