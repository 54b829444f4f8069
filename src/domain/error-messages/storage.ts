import { template } from '../errors.ts';

const takenMessages: Readonly<Record<string, string>> = {
  apis: 'Another API already has this slug.',
  tools: 'Another tool of this API already has this name.',
  servers: 'Another server already has this slug.',
  people: 'Someone else already has this name.',
  access_keys: 'This access key already exists.',
};

/** What can go wrong with the store. */
export const storageErrors = {
  // requests
  cursorInvalid: template(
    'invalid_request',
    'The cursor is not valid. Send the one that the previous page returned.',
  ),
  searchTooLong: template(
    'invalid_request',
    (v: { maxLength: number }) => `A search text can have at most ${v.maxLength} characters.`,
  ),
  nameTaken: template(
    'conflict',
    (v: { table: string | undefined }) =>
      takenMessages[v.table ?? ''] ?? 'Something with this name already exists.',
  ),
  apiMissing: template(
    'conflict',
    'A tool or credential belongs to an API that does not exist. Delete an API together with its tools and credentials.',
  ),

  // versions
  madeByDevelopmentVersion: template(
    'store_unreadable',
    (v: { omissions: readonly string[] }) =>
      'This store was made by a development version before 0.1.0. Export it with that version and import it here. ' +
      `An export omits: ${v.omissions.join('; ')}.`,
  ),
  newerStore: template(
    'store_newer',
    'The store was written by a newer version of Handrail. Start that version, or restore a backup made with this one.',
  ),

  // PostgreSQL
  databaseUrlInvalid: template(
    'config_invalid',
    'The database URL must look like postgres://user:password@host:5432/database.',
  ),
  databaseLoginRejected: template(
    'store_unreadable',
    (v: { host: string }) => `PostgreSQL at ${v.host} refused the user or password of the database URL.`,
  ),
  databaseNotFound: template(
    'store_unreadable',
    (v: { host: string; database: string }) =>
      `PostgreSQL at ${v.host} has no database "${v.database}". Create it, or correct the database URL.`,
  ),
  databasePermissionDenied: template(
    'store_unreadable',
    (v: { database: string }) =>
      `The user of the database URL may not make or use tables in the database "${v.database}".`,
  ),
  databaseDamaged: template(
    'store_unreadable',
    (v: { database: string }) => `The database "${v.database}" is damaged. Restore a backup.`,
  ),
  databaseDiskFull: template(
    'unavailable',
    (v: { host: string }) => `The disk of PostgreSQL at ${v.host} is full.`,
  ),
  databaseConnectionsExhausted: template(
    'unavailable',
    (v: { host: string }) => `PostgreSQL at ${v.host} has no connection left.`,
  ),
  databaseTimeout: template('unavailable', (v: { host: string }) => `PostgreSQL at ${v.host} took too long.`),
  databaseUnreachable: template(
    'unavailable',
    (v: { host: string }) =>
      `PostgreSQL at ${v.host} cannot be reached. Check that it runs and that the database URL is right.`,
  ),

  // SQLite
  storeLocked: template('unavailable', 'Another process keeps the store locked.'),
  storeClosed: template('unavailable', 'The store is closed.'),
  connectionReopened: template(
    'unavailable',
    'The connection to the store was stuck in another transaction and has been reopened. Try again.',
  ),
  diskFull: template(
    'unavailable',
    (v: { dataDir: string }) => `The disk of the data folder ${v.dataDir} is full.`,
  ),
  diskFailed: template(
    'store_unreadable',
    (v: { dataDir: string }) => `Reading or writing the data folder ${v.dataDir} failed. Check its disk.`,
  ),
  notAStore: template(
    'store_unreadable',
    (v: { dataDir: string; howToRestore: string }) =>
      `handrail.db in the data folder ${v.dataDir} is not a Handrail store, or it is damaged. ${v.howToRestore}`,
  ),
  storeDamaged: template(
    'store_unreadable',
    (v: { dataDir: string; howToRestore: string }) =>
      `handrail.db in the data folder ${v.dataDir} is damaged. ${v.howToRestore}`,
  ),
  storeNotWritable: template(
    'store_unreadable',
    (v: { dataDir: string }) =>
      `The store in the data folder ${v.dataDir} cannot be opened for writing. Check who owns the folder and its files.`,
  ),
  storeNotPrepared: template(
    'store_unreadable',
    (v: { dataDir: string; reason: string }) =>
      `The store in the data folder ${v.dataDir} cannot be opened for writing: ${v.reason}.`,
  ),
  dataFolderNotMade: template(
    'store_unreadable',
    (v: { dataDir: string; reason: string }) =>
      `The data folder ${v.dataDir} cannot be created: ${v.reason}.`,
  ),
  dataFolderNotAFolder: template(
    'store_unreadable',
    (v: { dataDir: string }) => `The data folder ${v.dataDir} is not a folder.`,
  ),

  // backups of SQLite stores
  storeNotFound: template(
    'not_found',
    (v: { dataDir: string }) => `There is no store in the data folder ${v.dataDir}.`,
  ),
  backupTargetExists: template('conflict', (v: { file: string }) => `${v.file} already exists.`),
  backupTargetNotWritable: template(
    'invalid_input',
    (v: { file: string }) => `${v.file} cannot be written: check its folder.`,
  ),
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
