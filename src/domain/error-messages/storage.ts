import { template } from '../errors.ts';

/** What can go wrong with the files of the embedded store. */
export const storageErrors = {
  walMissing: template(
    'store_unreadable',
    (v: { what: string }) =>
      `${v.what} was copied from a store in use, without handrail.db-wal: recent changes, or all of them, are missing. ` +
      'Put handrail.db-wal from the same moment next to it, or use a backup made with "handrail backup". ' +
      'To use the file as it is, run "handrail restore FILE --accept-missing-wal".',
  ),
  backupNotFound: template('not_found', (v: { file: string }) => `There is no file ${v.file}.`),
  backupUnreadable: template(
    'invalid_input',
    (v: { file: string }) => `${v.file} cannot be read. Check who owns it.`,
  ),
  notABackup: template(
    'invalid_input',
    (v: { file: string }) =>
      `${v.file} is not a Handrail store, or it is damaged. Use a file made with "handrail backup".`,
  ),
  backupDamaged: template(
    'invalid_input',
    (v: { file: string; findings: string }) =>
      `${v.file} is damaged (${v.findings}). Use another backup; nothing was changed.`,
  ),
  storeExists: template(
    'conflict',
    (v: { dataDir: string }) =>
      `There is a store in ${v.dataDir}. To replace it, stop the gateway and add --replace; the current store is kept under another name.`,
  ),
  storeInUse: template(
    'conflict',
    (v: { dataDir: string }) =>
      `A gateway or another process is using the store in ${v.dataDir}. Stop it first; nothing was changed.`,
  ),
};
