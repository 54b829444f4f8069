import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { openSqlite, sqliteErrorCode, type SqliteConnection } from './driver.ts';

// While a store is in use, most of it can be in the write-ahead log (handrail.db-wal). A copy of handrail.db alone is then
// a valid database that lacks everything recent, or all of it. So the first write sets SQLite's `user_version`, a
// checkpoint puts it into the file itself, and closing clears it: a file that is marked but has no log was copied without it.
const inUse = 1;

// Fields of an SQLite file header, https://www.sqlite.org/fileformat.html#the_database_header
const headerBytes = 100;
const writeVersionAt = 18;
const userVersionAt = 60;
const walVersion = 2;

const closeRaceMs = 1_000;
const lookAgainMs = 50;
const lockWaitMs = 1_000;

/** Whether a database file was in use when it was copied, and its write-ahead log isn't next to it. */
export function isWalMissing(file: string): boolean {
  return isMarkedInUse(file) && !existsSync(`${file}-wal`);
}

/** Rejects when the write-ahead log of a database file is missing. Call it before anything opens the file. */
export async function requireWal(file: string, dataDir: string): Promise<void> {
  const deadline = performance.now() + closeRaceMs;
  // The last process to close the file removes the log: it may be about to clear the mark.
  while (isWalMissing(file)) {
    if (performance.now() > deadline)
      throw storageErrors.walMissing({ what: `handrail.db in the data folder ${dataDir}` });
    await sleep(lookAgainMs);
  }
}

/** Marks the store as in use, within a write. Returns whether it wasn't marked: a checkpoint must put the mark into the file. */
export function markInUse(connection: Pick<SqliteConnection, 'run' | 'exec'>): boolean {
  if (isMarked(connection)) return false;
  connection.exec(`pragma user_version = ${inUse}`);
  return true;
}

/**
 * Clears the mark before a connection is closed, which may be the last one. Other processes mark the store again with their
 * next write. A process that keeps the store locked also keeps its log in place, so the mark can stay.
 */
export async function clearMark(connection: SqliteConnection, maxWaitMs = lockWaitMs): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    try {
      if (!isMarked(connection)) return;
      connection.exec('begin immediate');
      connection.exec('pragma user_version = 0');
      connection.exec('commit');
      return;
    } catch (thrown) {
      if (connection.inTransaction) connection.exec('rollback');
      const code = sqliteErrorCode(thrown);
      if (code === undefined) throw thrown;
      // A full or read-only disk, or damage: closing goes on, and whoever opens the store next reports it.
      if (!code.startsWith('SQLITE_BUSY') || performance.now() >= deadline) return;
    }
    await sleep(2);
  }
}

/**
 * Clears the mark of a file that was opened without the rest of the store, before that connection is closed: after a crash
 * it is the only one, and closing it removes the log. Doesn't wait for a lock, which another process would have to hold.
 */
export async function clearMarkOf(file: string): Promise<void> {
  if (!isMarkedInUse(file)) return;
  const connection = openSqlite(file);
  try {
    await clearMark(connection, 0);
  } finally {
    connection.close();
  }
}

function isMarked(connection: Pick<SqliteConnection, 'run'>): boolean {
  return objectOr(connection.run('pragma user_version', []).rows[0])['user_version'] === inUse;
}

function isMarkedInUse(file: string): boolean {
  if (!existsSync(file)) return false;
  const header = Buffer.alloc(headerBytes);
  const opened = openSync(file, 'r');
  try {
    if (readSync(opened, header, 0, headerBytes, 0) < headerBytes) return false;
  } finally {
    closeSync(opened);
  }
  return header[writeVersionAt] === walVersion && header.readUInt32BE(userVersionAt) === inUse;
}
