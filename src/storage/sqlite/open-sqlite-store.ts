import { Kysely, sql } from 'kysely';
import { objectOr } from '../../lib/json/plain-object.ts';
import { createAuditStore } from '../audit-store.ts';
import { createGuard } from '../guard.ts';
import { createLeaseStore } from '../lease-store.ts';
import { createCheckRunStore } from '../checks/check-run-store.ts';
import { createScriptJournalStore } from '../script-journal-store.ts';
import { createKeptReplyStore } from '../kept-reply-store.ts';
import { createMetaStore } from '../meta-store.ts';
import { migrate } from '../migrate.ts';
import type { Store } from '../ports.ts';
import { createRegistryStore } from '../registry-store.ts';
import { createRollupStore } from '../rollup-store.ts';
import { createSessionStore } from '../session-store.ts';
import type { Tables } from '../schema.ts';
import { prepareDataFolder } from './data-folder.ts';
import { sqliteDialect, Turnstile, whileBusy } from './dialect.ts';
import type { SqliteConnection } from './driver.ts';
import { openSqlite } from './driver.ts';
import { createCallStore } from './call-store.ts';
import { checkpointPragma, createCheckpoints } from './checkpoints.ts';
import { addRollups } from './add-rollups.ts';
import { translateSqlite } from './errors.ts';
import { findDamage, howToRestore } from './find-damage.ts';
import { withLargeCommitsInThread } from './large-commits.ts';

const pollEveryMs = 200;
// What a large commit made the journal grow beyond is given back.
const journalLimitBytes = 16 * 1024 * 1024;

const pragmasFor = (synchronous: 'FULL' | 'NORMAL'): string => `
  pragma synchronous = ${synchronous};
  pragma foreign_keys = on;
  pragma busy_timeout = 10;
  pragma journal_size_limit = ${journalLimitBytes};
`;

/** Opens the store in a data folder, which is made when it is absent. */
export async function openSqliteStore(dataDir: string): Promise<Store> {
  const translate = translateSqlite(dataDir);
  const file = prepareDataFolder(dataDir);
  const open: SqliteConnection[] = [];
  const connect = async (synchronous: 'FULL' | 'NORMAL') => {
    const connection = openSqlite(file);
    open.push(connection);
    // Holds for a new file only. A call record is one to two kilobytes: pages of four waste a third and cost more writes.
    connection.exec('pragma page_size = 8192');
    // Changing to WAL can meet another process that does the same.
    await whileBusy(() => connection.exec('pragma journal_mode = wal'));
    connection.exec(pragmasFor(synchronous));
    return connection;
  };
  const writers = new Turnstile();
  try {
    // A registry change is on disk when it is acknowledged. Call records may lose the last moments of a
    // power cut (never of a crash), and need not wait for the disk.
    const mainConnection = await connect('FULL');
    const db = new Kysely<Tables>({ dialect: sqliteDialect(mainConnection, writers) });
    await migrate(db, 'sqlite');
    const callConnection = await connect('NORMAL');
    callConnection.exec(checkpointPragma);
    const checkpoints = createCheckpoints(file);
    const callDb = new Kysely<Tables>({ dialect: sqliteDialect(callConnection, writers) });
    const searchDb = new Kysely<Tables>({ dialect: sqliteDialect(await connect('NORMAL'), writers) });

    const guard = createGuard(translate);
    const { guarded } = guard;
    const watchers = new Set<() => void>();
    const parts = guarded({
      async watch(onChange: () => void) {
        const stop = watchFile(await connect('NORMAL'), onChange);
        watchers.add(stop);
        return async () => {
          watchers.delete(stop);
          stop();
        };
      },
      async ping() {
        // Taking the write lock proves more than a read, and writing the same number again leaves no trace.
        await db
          .transaction()
          .execute((trx) => sql`update registry_seq set seq = seq where id = 1`.execute(trx));
      },
      async damage(part: 'registry' | 'all') {
        const found = await findDamage(file, part);
        return found.length === 0
          ? null
          : `handrail.db in the data folder ${dataDir} is damaged (${found.join('; ')}). ${howToRestore}`;
      },
      async close() {
        for (const stop of watchers) stop();
        watchers.clear();
        await checkpoints.close();
        await searchDb.destroy();
        await callDb.destroy();
        try {
          // Leaves everything in the one file, when no other process has it open.
          mainConnection.exec('pragma wal_checkpoint(truncate)');
        } catch {
          // Nothing is lost: whoever opens it next reads the journal too.
        }
        await db.destroy();
      },
    });
    const { newBatch, ...calls } = createCallStore(callDb, callConnection, searchDb, checkpoints.wrote);
    return {
      kind: 'sqlite',
      // It runs in this process: nobody waits for a connection.
      state: () => ({ ...guard.counts, connections: open.length, connectionsInUse: 0, waiting: 0 }),
      registry: guarded(
        withLargeCommitsInThread(createRegistryStore(db, 'sqlite'), file, pragmasFor('FULL'), writers),
      ),
      calls: { newBatch, ...guarded(calls) },
      rollups: guarded(createRollupStore(callDb, addRollups(callDb, callConnection))),
      meta: guarded(createMetaStore(db)),
      leases: guarded(createLeaseStore(db, 'sqlite')),
      budgets: null,
      hints: null,
      sessions: guarded(createSessionStore(db)),
      audit: guarded(createAuditStore(db)),
      keptReplies: guarded(createKeptReplyStore(callDb, { onWritten: checkpoints.wroteBytes })),
      scriptJournal: guarded(createScriptJournalStore(callDb)),
      checkRuns: guarded(createCheckRunStore(callDb)),
      ...parts,
    };
  } catch (thrown) {
    for (const connection of open) connection.close();
    throw translate(thrown);
  }
}

/** Looks for commits of other connections; `data_version` costs next to nothing and the sequence number tells registry commits from others. */
function watchFile(connection: SqliteConnection, onChange: () => void): () => void {
  const readVersion = connection.prepareQuery('pragma data_version');
  const readSeq = connection.prepareQuery('select seq from registry_seq');
  const version = () => objectOr(readVersion()[0])['data_version'];
  const registrySeq = () => objectOr(readSeq()[0])['seq'];
  let lastVersion = version();
  let lastSeq = registrySeq();
  const timer = setInterval(() => {
    try {
      const nextVersion = version();
      if (nextVersion === lastVersion) return;
      const nextSeq = registrySeq();
      lastVersion = nextVersion;
      if (nextSeq === lastSeq) return;
      lastSeq = nextSeq;
    } catch {
      // Locked for a moment: the next look sees it.
      return;
    }
    onChange();
  }, pollEveryMs);
  timer.unref();
  let stopped = false;
  return () => {
    if (stopped) return;
    stopped = true;
    clearInterval(timer);
    connection.close();
  };
}
