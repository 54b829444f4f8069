import Database from 'libsql';

/** What a statement can be given. */
export type SqliteValue = string | number | Uint8Array | null;

/** What a statement gave: `rows` is empty for statements that return none. */
interface StatementResult {
  readonly rows: unknown[];
  readonly changes: number;
}

/** A connection that runs statements, here or in a thread. */
export interface StatementRunner {
  run(text: string, values: readonly unknown[]): StatementResult | Promise<StatementResult>;
  /** Runs statements without values or results. */
  exec(text: string): void | Promise<void>;
  close(): void | Promise<void>;
}

/** The little we use of an SQLite library; the only file that names one, so that another can take its place. */
export interface SqliteConnection extends StatementRunner {
  run(text: string, values: readonly unknown[]): StatementResult;
  exec(text: string): void;
  /** A query prepared once, for running often. */
  prepareQuery(text: string): () => unknown[];
  /** A statement without results, prepared once, for running often; tells how many rows it changed. */
  prepareStatement(text: string): (values: readonly SqliteValue[]) => number;
  close(): void;
}

/** Opens a database file, making it when it is absent. */
export function openSqlite(file: string): SqliteConnection {
  const database = new Database(file);
  return {
    run(text, values) {
      const statement = database.prepare(text);
      // Always one array: spread values are read as named parameters when there is only one.
      if (statement.reader) return { rows: statement.all([...values]), changes: 0 };
      return { rows: [], changes: statement.run([...values]).changes };
    },
    exec(text) {
      database.exec(text);
    },
    prepareQuery(text) {
      const statement = database.prepare(text);
      return () => statement.all([]);
    },
    prepareStatement(text) {
      const statement = database.prepare(text);
      return (values) => statement.run(values).changes;
    },
    close() {
      database.close();
    },
  };
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
