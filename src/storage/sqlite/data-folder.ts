import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { errorCode } from '../../lib/thrown-errors.ts';

const fileName = 'handrail.db';

/** The path of the database in a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, fileName);
}

/**
 * Makes the data folder and the database file readable by their owner alone and returns the file's path. A folder
 * that exists keeps its mode, since it may hold other things; our files in it are tightened.
 */
export function prepareDataFolder(dataDir: string): string {
  try {
    if (!existsSync(dataDir)) makeFolder(dataDir);
  } catch (thrown) {
    throw storageErrors.dataFolderNotMade({ dataDir, reason: reason(thrown) }, {}, { cause: thrown });
  }
  if (!statSync(dataDir).isDirectory()) throw storageErrors.dataFolderNotAFolder({ dataDir });
  const file = databaseFile(dataDir);
  try {
    // Made before SQLite does: it gives its journal files the mode of this one.
    closeSync(openSync(file, 'a', 0o600));
    for (const path of [file, `${file}-wal`, `${file}-shm`]) tighten(path);
  } catch (thrown) {
    throw storageErrors.storeNotPrepared({ dataDir, reason: reason(thrown) }, {}, { cause: thrown });
  }
  return file;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    // Of a read-only disk Node says that there is no such folder when it is to make those above it as well.
    mkdirSync(path, { mode: 0o700 });
  }
}

function tighten(path: string): void {
  if (process.getuid === undefined) return;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && stat.uid === process.getuid() && (stat.mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function reason(thrown: unknown): string {
  const code = errorCode(thrown);
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    case 'EROFS':
      return 'its disk is read-only';
    case 'ENOSPC':
      return 'its disk is full';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'there is a file where a folder is needed';
    case 'EISDIR':
      return `${fileName} is a folder`;
    default:
      return code ?? 'the reason is unknown';
  }
}
