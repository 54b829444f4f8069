import { statfsSync } from 'node:fs';
import { HandrailError } from '../../domain/errors.ts';
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
    const refuse = (message: string) => new HandrailError('store_unreadable', message, {}, { cause: thrown });
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return referenceConflict(thrown);
    if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
      return uniqueConflict(/failed: (\w+)\./.exec(errorMessage(thrown))?.[1], thrown);
    }
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
      return new HandrailError(
        'unavailable',
        'Another process keeps the store locked.',
        {},
        { cause: thrown },
      );
    }
    const isFailedAccess = code.startsWith('SQLITE_IOERR');
    // The memory that processes share is a file as well: without room for it SQLite says only that it failed.
    if (code === 'SQLITE_FULL' || (isFailedAccess && hasNoRoom(dataDir))) {
      return new HandrailError(
        'unavailable',
        `The disk of the data folder ${dataDir} is full.`,
        {},
        { cause: thrown },
      );
    }
    if (code === 'SQLITE_NOTADB') {
      return refuse(
        `handrail.db in the data folder ${dataDir} is not a Handrail store, or it is damaged. ${howToRestore}`,
      );
    }
    if (code.startsWith('SQLITE_CORRUPT')) {
      return refuse(`handrail.db in the data folder ${dataDir} is damaged. ${howToRestore}`);
    }
    if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN') || code === 'SQLITE_PERM') {
      return refuse(
        `The store in the data folder ${dataDir} cannot be opened for writing. Check who owns the folder and its files.`,
      );
    }
    if (isFailedAccess) {
      return refuse(`Reading or writing the data folder ${dataDir} failed. Check its disk.`);
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
