import { statfsSync } from 'node:fs';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { errorMessage } from '../../lib/thrown-errors.ts';
import { referenceConflict, uniqueConflict } from '../guard.ts';
import type { Translate } from '../guard.ts';
import { sqliteErrorCode } from './driver.ts';
import { howToRestore } from './find-damage.ts';

/** Says what an SQLite error means for the operator; the data folder is named as it was given, its files are not. */
export function translateSqlite(dataDir: string): Translate {
  return (thrown) => {
    const code = sqliteErrorCode(thrown);
    if (code === undefined) return thrown;
    const options = { cause: thrown };
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return referenceConflict(thrown);
    if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
      return uniqueConflict(/failed: (\w+)\./.exec(errorMessage(thrown))?.[1], thrown);
    }
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
      return storageErrors.storeLocked({}, options);
    }
    const isFailedAccess = code.startsWith('SQLITE_IOERR');
    // The memory that processes share is a file as well: without room for it SQLite says only that it failed.
    if (code === 'SQLITE_FULL' || (isFailedAccess && hasNoRoom(dataDir))) {
      return storageErrors.diskFull({ dataDir }, {}, options);
    }
    if (code === 'SQLITE_NOTADB') {
      return storageErrors.notAStore({ dataDir, howToRestore }, {}, options);
    }
    if (code.startsWith('SQLITE_CORRUPT')) {
      return storageErrors.storeDamaged({ dataDir, howToRestore }, {}, options);
    }
    if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN') || code === 'SQLITE_PERM') {
      return storageErrors.storeNotWritable({ dataDir }, {}, options);
    }
    if (isFailedAccess) {
      return storageErrors.diskFailed({ dataDir }, {}, options);
    }
    return thrown;
  };
}

function hasNoRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 64 * 1024;
  } catch {
    return false;
  }
}
