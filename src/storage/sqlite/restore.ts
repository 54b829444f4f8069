import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { toHandrailError } from '../../domain/errors.ts';
import { errorCode } from '../../lib/thrown-errors.ts';
import type { Store } from '../ports.ts';
import { databaseFile } from './data-folder.ts';
import { openReadOnly, openSqlite, sqliteErrorCode } from './driver.ts';
import { findDamage } from './find-damage.ts';
import { isWalMissing, markClosed } from './in-use-mark.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

interface RestoreOptions<T> {
  readonly dataDir: string;
  /** A file made by `backupStore`, or a `handrail.db` with its write-ahead log next to it. */
  readonly backupFile: string;
  /** Replace a store that is in the data folder, and keep it under another name. */
  readonly replace: boolean;
  /** Use a file whose write-ahead log is missing. */
  readonly acceptMissingWal: boolean;
  readonly nowMs: number;
  /** Reads what is to be restored, before anything is changed. */
  readonly inspect: (store: Store) => Promise<T>;
}

/** A store that was put into a data folder. */
export interface Restored<T> {
  readonly inspected: T;
  /** The file that the store which was there is kept as. */
  readonly keptAs: string | null;
}

/**
 * Puts a backup into a data folder. It is checked in full and brought up to this version in a folder of its own first, so
 * a failure changes nothing; the backup itself is only read. A crash leaves the old store or the new one.
 */
export async function restoreStore<T>(options: RestoreOptions<T>): Promise<Restored<T>> {
  const { dataDir, backupFile, replace, acceptMissingWal } = options;
  if (!statSync(backupFile, { throwIfNoEntry: false })?.isFile())
    throw storageErrors.backupNotFound({ file: backupFile });
  if (isWalMissing(backupFile) && !acceptMissingWal) throw storageErrors.walMissing({ what: backupFile });
  const target = databaseFile(dataDir);
  const hasOld = (statSync(target, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (hasOld && !replace) throw storageErrors.storeExists({ dataDir });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dataDir, 'restoring-'));
  try {
    copyBackup(backupFile, folder);
    const inspected = await checkCopy(folder, options);
    if (hasOld) await closeOldStore(target, dataDir);
    const keptAs = hasOld ? keepOldStore(target, options.nowMs) : null;
    for (const suffix of ['-wal', '-shm']) rmSync(`${target}${suffix}`, { force: true });
    renameSync(databaseFile(folder), target);
    syncPath(dataDir);
    return { inspected, keptAs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyBackup(backupFile: string, folder: string): void {
  const copy = databaseFile(folder);
  try {
    copyFileSync(backupFile, copy);
    if (existsSync(`${backupFile}-wal`)) copyFileSync(`${backupFile}-wal`, `${copy}-wal`);
  } catch (thrown) {
    if (errorCode(thrown) !== 'EACCES') throw thrown;
    throw storageErrors.backupUnreadable({ file: backupFile }, {}, { cause: thrown });
  }
  chmodSync(copy, 0o600);
}

async function checkCopy<T>(folder: string, { backupFile, inspect }: RestoreOptions<T>): Promise<T> {
  const copy = databaseFile(folder);
  await requireTables(copy, backupFile);
  let store: Store;
  try {
    store = await openSqliteStore(folder);
  } catch (thrown) {
    const error = toHandrailError(thrown);
    // What SQLite reported names the folder of the copy; what the migrations reported is about the store itself.
    if (sqliteErrorCode(error.cause) === undefined) throw error;
    throw storageErrors.notABackup({ file: backupFile }, {}, { cause: error });
  }
  try {
    const findings = await findDamage(copy, 'all');
    if (findings.length > 0)
      throw storageErrors.backupDamaged({ file: backupFile, findings: findings.join('; ') });
    return await inspect(store);
  } finally {
    // Leaves everything in the one file.
    await store.close();
    syncPath(copy);
  }
}

/** Rejects what isn't a store, which opening it would make one of. */
async function requireTables(copy: string, backupFile: string): Promise<void> {
  try {
    const connection = openReadOnly(copy);
    try {
      const { rows } = connection.run('select 1 from sqlite_schema where name = ?', ['schema_migrations']);
      if (rows.length === 0) throw storageErrors.notABackup({ file: backupFile });
    } finally {
      connection.close();
    }
    // It was in use when it was copied: that it can be read now is all there is to know.
    const writable = openSqlite(copy);
    await markClosed(writable);
    writable.close();
  } catch (thrown) {
    if (sqliteErrorCode(thrown) === undefined) throw thrown;
    throw storageErrors.notABackup({ file: backupFile }, {}, { cause: thrown });
  }
}

/** Moves the log of the old store into its file; rejects while another process has it open. */
async function closeOldStore(target: string, dataDir: string): Promise<void> {
  if (isWalMissing(target)) return;
  const connection = openSqlite(target);
  try {
    // Needs the file for itself, and leaves no log.
    connection.exec('pragma journal_mode = delete');
  } catch (thrown) {
    const code = sqliteErrorCode(thrown);
    if (code?.startsWith('SQLITE_BUSY')) throw storageErrors.storeInUse({ dataDir }, {}, { cause: thrown });
    // A damaged store is a reason to restore: it is kept as it is, with its log.
    if (code === undefined) throw thrown;
  } finally {
    connection.close();
  }
}

function keepOldStore(target: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const kept = `${target}.replaced-${stamp}`;
  if (existsSync(`${target}-wal`)) renameSync(`${target}-wal`, `${kept}-wal`);
  try {
    linkSync(target, kept);
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') throw thrown;
    // Not every file system has links.
    copyFileSync(target, kept);
  }
  return kept;
}

function syncPath(path: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return;
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
