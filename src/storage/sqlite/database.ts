import { Kysely, type Transaction } from 'kysely';
import { open as openFile } from 'node:fs/promises';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { Database, Reader } from '../database.ts';
import type { Tables } from '../schema.ts';
import { SqliteDriver, whileBusy } from './dialect.ts';
import { openReadOnly, openSqlite, type SqliteConnection, type StatementResult } from './driver.ts';
import { markClosed, marks, readMark, setMark } from './in-use-mark.ts';

/** Runs a statement of the write that it was given to, and of no later one. */
export type RunStatement = (text: string, values: readonly unknown[]) => StatementResult;

/** A database whose writes can also run statements that were written by hand, without waiting for each. */
export interface SqliteDatabase extends Database {
  write<T>(work: (trx: Transaction<Tables>, run: RunStatement) => Promise<T>): Promise<T>;
}

/** What is open of a database file. */
export interface OpenedDatabase {
  /** For migrations, which run at every start: a write that changes nothing leaves no trace in the file. */
  readonly migrations: Pick<Database, 'write'>;
  /** Resolved writes survive a crash of the process; a power cut may take the last moments. */
  readonly quick: SqliteDatabase;
  /** Resolved writes are on disk. */
  readonly durable: Database;
  /** Says in the file what it is without its log, see in-use-mark.ts. */
  mark(as: 'partial' | 'whole'): Promise<void>;
  /** Reads for a long time without making other reads wait. */
  search<T>(work: (at: Reader) => Promise<T>): Promise<T>;
  /** Gives a bounded part of what deleted rows left back to the file system. Returns whether there is more. */
  giveBackSome(): Promise<boolean>;
  readonly connections: number;
  /** How often a transaction was found open that no unit of work owned; its connection was replaced. */
  readonly unownedTransactions: number;
  /** Finishes what is under way and closes everything. */
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Called after each commit with about how many bytes it added to the journal. */
  readonly onCommitted: (bytes: number) => void;
  /** Whether the file already says that it is nothing without its log. */
  readonly isMarked: boolean;
  /** Called when a commit found that the file no longer says so, and a checkpoint should be made. */
  readonly onUnmarked: () => void;
  readonly onUnowned: () => void;
}

const checkEveryMs = 5_000;
const pageBytes = 8_192;

// With a write-ahead journal a commit does not wait for the disk here: `durable` does, off the thread that serves calls.
// Neither does it copy the journal into the file: checkpoints.ts does, and this is the limit should that fail. What a large
// commit made the journal grow beyond is given back.
const pragmasFor = (hasJournal: boolean) => `
  pragma synchronous = ${hasJournal ? 'normal' : 'full'};
  pragma foreign_keys = on;
  pragma journal_size_limit = ${16 * 1024 * 1024};
  pragma wal_autocheckpoint = 16000;
`;

/** Opens a database file: one connection that writes, which nothing else can get at, and others that only read. */
export async function openDatabase(file: string, options: DatabaseOptions): Promise<OpenedDatabase> {
  let unownedTransactions = 0;
  const onUnowned = () => {
    unownedTransactions++;
    options.onUnowned();
  };
  let first: SqliteConnection | null = openSqlite(file);
  const drivers: SqliteDriver[] = [];
  const openDriver = (kind: 'read' | 'write', open: () => SqliteConnection) => {
    const driver = new SqliteDriver({ kind, open, onUnowned });
    drivers.push(driver);
    return { driver, kysely: new Kysely<Tables>({ dialect: driver.dialect }) };
  };
  const openAll = async () => {
    const hasJournal = await prepareFile(first!);
    const writing = openDriver('write', () => {
      const connection = first ?? openSqlite(file);
      first = null;
      connection.exec(pragmasFor(hasJournal));
      return connection;
    });
    const { kysely: reads } = openDriver('read', () => openReadOnly(file));
    const { kysely: searches } = openDriver('read', () => openReadOnly(file));
    return { hasJournal, writing, reads, searches };
  };
  const { hasJournal, writing, reads, searches } = await openAll().catch(async (thrown: unknown) => {
    first?.close();
    for (const driver of drivers) await driver.close();
    throw thrown;
  });

  const writeIn: SqliteDatabase['write'] = async (work) => {
    let bytes = pageBytes;
    const result = await writing.kysely.transaction().execute(async (trx) => {
      let isOver = false;
      try {
        return await work(trx, (text, values) => {
          if (isOver) throw new Error('This statement belongs to a write that has ended.');
          return writing.driver.run(text, values);
        });
      } finally {
        isOver = true;
        bytes += writing.driver.takeBytes();
      }
    });
    options.onCommitted(bytes);
    return result;
  };
  const mark: OpenedDatabase['mark'] = async (as) => {
    if (hasJournal) await writeIn(async () => setMark(writing.driver, as));
  };
  let isMarked = options.isMarked || !hasJournal;
  const quick: SqliteDatabase = {
    reads,
    snapshot: (work) => reads.transaction().execute(work),
    async write(work) {
      let isClosed = false;
      const result = await writeIn((trx, run) => {
        isClosed = hasJournal && readMark(writing.driver) !== marks.whole;
        return work(trx, run);
      });
      if (!isMarked) {
        // At the first write, which is made before anything is served.
        isMarked = true;
        await mark('partial');
        await writing.driver.between((connection) => connection.exec('pragma wal_checkpoint(passive)'));
        await mark('whole');
      } else if (isClosed) options.onUnmarked();
      return result;
    },
  };
  const timer = setInterval(() => {
    for (const driver of drivers) driver.check();
  }, checkEveryMs).unref();
  return {
    migrations: { write: writeIn },
    quick,
    durable: {
      ...quick,
      async write(work) {
        const result = await quick.write(work);
        if (hasJournal) await syncJournal(file);
        return result;
      },
    },
    mark,
    async giveBackSome() {
      let isDue = false;
      await writing.driver.between((connection) => {
        isDue = hasMuchFree(connection);
        // A statement that is prepared would stay open: each of its steps frees one page.
        if (isDue) connection.exec(`pragma incremental_vacuum(${pagesPerStep})`);
      });
      if (isDue) options.onCommitted(pagesPerStep * pageBytes);
      return isDue;
    },
    search: (work) => searches.transaction().execute(work),
    connections: drivers.length,
    get unownedTransactions() {
      return unownedTransactions;
    },
    async close() {
      clearInterval(timer);
      for (const driver of drivers.slice(1)) await driver.close();
      await writing.driver.close(async (connection) => {
        if (!hasJournal) return;
        await markClosed(connection);
        // Leaves everything in the one file, when no other process has it open.
        connection.exec('pragma wal_checkpoint(truncate)');
      });
    },
  };
}

// Rows that arrive reuse what others left; only what is far more than that goes back to the system.
const leastFreePages = 4_096;
const maxFreeShare = 0.2;
const pagesPerStep = 256;
const incrementalVacuum = 2;

function hasMuchFree(connection: SqliteConnection): boolean {
  const pragma = (name: string) =>
    Number(Object.values(objectOr(connection.run(`pragma ${name}`, []).rows[0]))[0] ?? 0);
  const free = pragma('freelist_count');
  if (free < leastFreePages || free < pragma('page_count') * maxFreeShare) return false;
  // A file from before this was possible keeps its size until its backup is restored.
  return pragma('auto_vacuum') === incrementalVacuum;
}

/** Returns whether the file has a write-ahead journal, which not every file system can have. */
async function prepareFile(connection: SqliteConnection): Promise<boolean> {
  // For a new file only. A call record is one to two kilobytes: pages of four waste a third and cost more writes.
  connection.exec(`pragma page_size = ${pageBytes}`);
  await whileBusy(() => connection.exec('pragma auto_vacuum = incremental'));
  // A complete copy of a store that was in use, such as VACUUM INTO makes.
  if (!(await isWal(connection))) await markClosed(connection);
  // Changing to WAL can meet another process that does the same.
  await whileBusy(() => connection.exec('pragma journal_mode = wal'));
  return isWal(connection);
}

// Asking can meet another process that changes to WAL as well.
async function isWal(connection: SqliteConnection): Promise<boolean> {
  const [row] = (await whileBusy(() => connection.run('pragma journal_mode', []))).rows;
  return objectOr(row)['journal_mode'] === 'wal';
}

/**
 * Waits until every commit so far is on disk: in the journal, or in the file, since a checkpoint syncs both. It is what
 * `pragma synchronous = full` does within a commit, where everything in the process would wait for the disk.
 */
async function syncJournal(file: string): Promise<void> {
  const journal = await openFile(`${file}-wal`, 'r+');
  try {
    await journal.datasync();
  } finally {
    await journal.close();
  }
}
