import Database from 'libsql';

/** What a statement gave: `rows` is empty for statements that return none. */
export interface StatementResult {
  readonly rows: unknown[];
  readonly changes: number;
}

/** The little we use of an SQLite library; the only file that names one, so that another can take its place. */
export interface SqliteConnection {
  run(text: string, values: readonly unknown[]): StatementResult;
  /** Runs statements without values or results. Unlike `run` it leaves nothing open when it fails. */
  exec(text: string): void;
  /** Whether a transaction was begun and has not ended. */
  readonly inTransaction: boolean;
  close(): void;
}

/** Opens a database file for writing, creating it if needed. Outside tests only database.ts may: see `Database.write`. */
export function openSqlite(file: string): SqliteConnection {
  const database = new Database(file);
  const prepare = (text: string) => {
    const statement = database.prepare(text);
    return { text, statement, returnsRows: statement.reader };
  };
  // Sums are added row by row with one statement, which is worth preparing once.
  let last: ReturnType<typeof prepare> | null = null;
  return {
    run(text, values) {
      const prepared = last?.text === text ? last : prepare(text);
      const { statement, returnsRows } = prepared;
      // One that fails may stay open and is not run again.
      last = null;
      // Always one array: spread values are read as named parameters when there is only one.
      const result = returnsRows
        ? { rows: statement.all(values), changes: 0 }
        : { rows: [], changes: statement.run(values).changes };
      last = prepared;
      return result;
    },
    exec(text) {
      database.exec(text);
    },
    get inTransaction() {
      return database.inTransaction;
    },
    close() {
      last = null;
      database.close();
    },
  };
}

/** Opens a database file for reading. It can still move the journal into the file, which changes nothing that is stored. */
export function openReadOnly(file: string): SqliteConnection {
  const connection = openSqlite(file);
  connection.exec('pragma query_only = on');
  return connection;
}

/** Fills an empty file with a consistent copy of a database. */
export function copyDatabase(file: string, target: string): void {
  const connection = openSqlite(file);
  try {
    // Also for a copy of a file that cannot give space back.
    connection.exec('pragma auto_vacuum = incremental');
    connection.run('vacuum into ?', [target]);
  } finally {
    connection.close();
  }
}

/** An error of SQLite that came from a thread. */
export function sqliteError(message: string, code: string | undefined): Error {
  return code === undefined ? new Error(message) : new Database.SqliteError(message, code, 0);
}

/** SQLite's own name of an error, such as `SQLITE_BUSY`; undefined when it is none of SQLite's. */
export function sqliteErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (thrown instanceof Database.SqliteError) return thrown.code || 'SQLITE_ERROR';
  // Failing to open is reported without a code.
  return /ConnectionFailed/.test(thrown.message) ? 'SQLITE_CANTOPEN' : undefined;
}
