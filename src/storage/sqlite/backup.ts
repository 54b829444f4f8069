import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { errorCode } from '../../lib/thrown-errors.ts';
import { databaseFile } from './data-folder.ts';
import { copyDatabase } from './driver.ts';
import { translateSqlite } from './errors.ts';
import { whileBusy } from './dialect.ts';
import { requireWal } from './in-use-mark.ts';

/**
 * Writes a consistent copy of the store in a data folder to a new file, readable by its owner alone, while the store stays
 * in use. The copy is a complete `handrail.db`; restore.ts puts it into a data folder.
 */
export async function backupStore(dataDir: string, targetFile: string): Promise<void> {
  const source = databaseFile(dataDir);
  if (!existsSync(source)) {
    throw storageErrors.storeNotFound({ dataDir });
  }
  try {
    // SQLite fills an empty file that exists; making it first decides its mode and never overwrites another.
    closeSync(openSync(targetFile, 'wx', 0o600));
  } catch (thrown) {
    const exists = errorCode(thrown) === 'EEXIST';
    const error = exists ? storageErrors.backupTargetExists : storageErrors.backupTargetNotWritable;
    throw error({ file: targetFile }, {}, { cause: thrown });
  }
  try {
    await requireWal(source, dataDir);
    await whileBusy(() => copyDatabase(source, targetFile));
    const file = openSync(targetFile, 'r+');
    fsyncSync(file);
    closeSync(file);
  } catch (thrown) {
    rmSync(targetFile, { force: true });
    throw translateSqlite(dataDir)(thrown);
  }
}
