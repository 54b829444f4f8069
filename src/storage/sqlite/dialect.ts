import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageErrors } from '../../domain/error-messages/storage.ts';
import { errorMessage } from '../../lib/thrown-errors.ts';
import type { SqliteConnection, StatementResult } from './driver.ts';
import { sqliteErrorCode } from './driver.ts';

/** Admits one holder at a time, in order of arrival. */
class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Waits for its turn and returns how to end it. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    let leave!: () => void;
    this.#last = new Promise((resolve) => (leave = resolve));
    await before;
    return leave;
  }
}

const busyWaitMs = 30_000;
const busyStepMs = 2;

/** Retries what another process's lock can block, until it succeeds or half a minute has passed. */
export async function whileBusy<T>(run: () => T): Promise<T> {
  const deadline = performance.now() + busyWaitMs;
  for (;;) {
    try {
      return run();
    } catch (thrown) {
      if (!sqliteErrorCode(thrown)?.startsWith('SQLITE_BUSY')) throw thrown;
      if (performance.now() > deadline) {
        throw storageErrors.storeLocked({}, { cause: thrown });
      }
    }
    await sleep(busyStepMs);
  }
}

// The read takes the snapshot at once.
const beginTexts = { read: 'begin; select 1 from sqlite_schema limit 1', write: 'begin immediate' };

interface SqliteDriverOptions {
  readonly kind: keyof typeof beginTexts;
  readonly open: () => SqliteConnection;
  /** Called when a transaction was found open that no unit of work owns. */
  readonly onUnowned: () => void;
}

/**
 * Runs units of work on one SQLite connection, one at a time: a transaction, or one statement that reads. Each takes its
 * lock with `exec` before it prepares anything, because libsql leaves a prepared statement that met SQLITE_BUSY open until
 * it is garbage collected, and meanwhile the connection commits nothing. Units queue here instead of at SQLite's own lock:
 * waiting for that one blocks the event loop that its holder needs.
 */
export class SqliteDriver implements Driver {
  readonly #options: SqliteDriverOptions;
  readonly #queue = new Turnstile();
  #connection: SqliteConnection | null;
  #leave: (() => void) | null = null;
  #isInUnit = false;
  /** Whether a statement failed in such a way that it may still be open. */
  #isInDoubt = false;
  #isClosed = false;
  #bytes = 0;

  constructor(options: SqliteDriverOptions) {
    this.#options = options;
    this.#connection = options.open();
  }

  get dialect(): Dialect {
    return {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => this,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const leave = await this.#queue.enter();
    if (this.#isClosed) {
      leave();
      throw storageErrors.storeClosed();
    }
    this.#leave = leave;
    return {
      executeQuery: (query) => this.#execute(query),
      // oxlint-disable-next-line require-yield
      async *streamQuery() {
        throw new Error('Nothing streams from SQLite.');
      },
    };
  }

  async releaseConnection(): Promise<void> {
    this.#settle();
    this.#leave?.();
    this.#leave = null;
  }

  async beginTransaction(): Promise<void> {
    if (this.#connection?.inTransaction) this.#replaceUnowned();
    await whileBusy(() => {
      const connection = (this.#connection ??= this.#options.open());
      try {
        connection.exec(beginTexts[this.#options.kind]);
      } catch (thrown) {
        // Of reading, the first half may be done.
        if (connection.inTransaction) connection.exec('rollback');
        // The connection still reads at an earlier moment, for a statement that no unit of work owns.
        if (sqliteErrorCode(thrown) === 'SQLITE_BUSY_SNAPSHOT') this.#replaceUnowned();
        throw thrown;
      }
    });
    this.#isInUnit = true;
  }

  async commitTransaction(): Promise<void> {
    await whileBusy(() => {
      try {
        this.#connection?.exec('commit');
      } catch (thrown) {
        if (!errorMessage(thrown).includes('statements in progress')) throw thrown;
        this.#replaceUnowned();
        throw storageErrors.connectionReopened({}, { cause: thrown });
      }
    });
    this.#isInUnit = false;
  }

  async rollbackTransaction(): Promise<void> {
    this.#isInUnit = false;
    // SQLite rolls back by itself after some errors, a full disk among them.
    if (this.#connection?.inTransaction) this.#connection.exec('rollback');
  }

  /** Runs a statement of the unit of work that has the connection now. */
  run(text: string, values: readonly unknown[]): StatementResult {
    if (!this.#isInUnit || this.#connection === null)
      throw new Error('A statement belongs to no unit of work.');
    for (const value of values) this.#bytes += sizeOf(value);
    try {
      return this.#connection.run(text, values);
    } catch (thrown) {
      // What violates a constraint has ended; of anything else libsql may have left the statement open.
      if (!sqliteErrorCode(thrown)?.startsWith('SQLITE_CONSTRAINT')) this.#isInDoubt = true;
      throw thrown;
    }
  }

  /** How many bytes statements were given since it was asked last. */
  takeBytes(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }

  /** Looks for a transaction that no unit of work owns, and ends it. */
  check(): void {
    if (this.#leave === null && this.#connection?.inTransaction) this.#replaceUnowned();
  }

  /** Runs statements without values or results, for the unit of work that has the connection now. */
  exec(text: string): void {
    if (!this.#isInUnit || this.#connection === null)
      throw new Error('A statement belongs to no unit of work.');
    this.#connection.exec(text);
  }

  /** Runs something between two units of work, outside any transaction. */
  async between(run: (connection: SqliteConnection) => void): Promise<void> {
    const leave = await this.#queue.enter();
    try {
      if (!this.#isClosed) run((this.#connection ??= this.#options.open()));
    } finally {
      leave();
    }
  }

  /** Waits for the units of work that have started, and closes the connection after `last`. */
  async close(last?: (connection: SqliteConnection) => Promise<void>): Promise<void> {
    const leave = await this.#queue.enter();
    this.#isClosed = true;
    try {
      if (this.#connection !== null) await last?.(this.#connection);
    } finally {
      this.#connection?.close();
      this.#connection = null;
      leave();
    }
  }

  destroy(): Promise<void> {
    return this.close();
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isInUnit) return this.#result(query);
    if (this.#options.kind === 'write') throw new Error('Only a transaction writes.');
    await this.beginTransaction();
    try {
      return this.#result(query);
    } finally {
      await this.rollbackTransaction();
    }
  }

  #result<R>(query: CompiledQuery): QueryResult<R> {
    const { rows, changes } = this.run(query.sql, query.parameters);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schema.ts says what a query returns, as for every driver of kysely
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  /** Leaves the connection without a transaction for the next unit of work, or replaces it. */
  #settle(): void {
    if (this.#connection?.inTransaction) this.#replaceUnowned();
    else if (this.#isInDoubt) this.#replace();
  }

  #replaceUnowned(): void {
    this.#replace();
    this.#options.onUnowned();
  }

  /** The next unit of work opens another. */
  #replace(): void {
    const old = this.#connection;
    this.#connection = null;
    this.#isInDoubt = false;
    if (old === null) return;
    // Closing takes effect once open statements are garbage; this lets go of the locks now, also of a statement on its own.
    for (const text of ['begin', 'rollback']) {
      try {
        old.exec(text);
      } catch {
        // One of the two fails where a transaction was begun, or was rolled back by SQLite.
      }
    }
    old.close();
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}
