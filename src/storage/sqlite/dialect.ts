import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { HandrailError } from '../../domain/errors.ts';
import type { StatementRunner } from './driver.ts';
import { sqliteErrorCode } from './driver.ts';

/** Lets one holder in at a time, in the order they came. */
export class Turnstile {
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

/**
 * Kysely over one SQLite connection. Writers of one process queue at `writers`, because waiting for SQLite's own
 * lock blocks the event loop that its holder needs to go on; another process is waited for in short steps.
 */
export function sqliteDialect(connection: StatementRunner, writers: Turnstile): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(connection, writers),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const busyWaitMs = 30_000;
const busyStepMs = 5;

/** Runs what can meet another process's lock, again and again until it goes through or half a minute is over. */
export async function whileBusy<T>(run: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + busyWaitMs;
  for (;;) {
    try {
      return await run();
    } catch (thrown) {
      if (!sqliteErrorCode(thrown)?.startsWith('SQLITE_BUSY')) throw thrown;
      if (performance.now() > deadline) {
        throw new HandrailError(
          'unavailable',
          'Another process keeps the store locked.',
          {},
          { cause: thrown },
        );
      }
    }
    await sleep(busyStepMs);
  }
}

class SqliteDriver implements Driver {
  readonly #connection: StatementRunner;
  readonly #kysely: DatabaseConnection;
  readonly #writers: Turnstile;
  readonly #users = new Turnstile();
  #leaveUsers: (() => void) | undefined;
  #leaveWriters: (() => void) | undefined;

  constructor(connection: StatementRunner, writers: Turnstile) {
    this.#connection = connection;
    this.#writers = writers;
    this.#kysely = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, changes } = await whileBusy(() => connection.run(query.sql, query.parameters));
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a query gives is told by schema.ts, as for every driver of kysely
        return { rows: rows as R[], numAffectedRows: BigInt(changes) };
      },
      // oxlint-disable-next-line require-yield
      async *streamQuery() {
        throw new Error('Nothing streams from SQLite.');
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#leaveUsers = await this.#users.enter();
    return this.#kysely;
  }

  async releaseConnection(): Promise<void> {
    this.#leaveUsers?.();
  }

  async beginTransaction(_connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (settings.accessMode === 'read only') {
      await this.#control('begin');
      return;
    }
    this.#leaveWriters = await this.#writers.enter();
    try {
      // Taking the write lock at once: a transaction that reads first could not get it later if another one wrote.
      await this.#control('begin immediate');
    } catch (thrown) {
      this.#endWriting();
      throw thrown;
    }
  }

  async commitTransaction(): Promise<void> {
    await this.#control('commit');
    this.#endWriting();
  }

  async rollbackTransaction(): Promise<void> {
    try {
      await this.#control('rollback');
    } catch {
      // SQLite rolls back by itself after some errors, a full disk among them; then there is nothing left to undo.
    } finally {
      this.#endWriting();
    }
  }

  async destroy(): Promise<void> {
    await this.#connection.close();
  }

  // Not as a prepared statement: one that met a lock would count as unfinished, and no commit gets past it.
  async #control(text: string): Promise<void> {
    await whileBusy(() => this.#connection.exec(text));
  }

  #endWriting(): void {
    this.#leaveWriters?.();
    this.#leaveWriters = undefined;
  }
}
