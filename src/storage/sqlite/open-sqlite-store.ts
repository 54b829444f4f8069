import { sql } from 'kysely';
import type { Logger } from 'pino';
import { createAccountStore } from '../account-store.ts';
import { createAuditStore } from '../audit-store.ts';
import type { Database } from '../database.ts';
import { createGuard } from '../guard.ts';
import { createLeaseStore } from '../lease-store.ts';
import { createCheckRunStore } from '../check-run-store.ts';
import { createFactorStore } from '../factor-store.ts';
import { createGrantStore } from '../grant-store.ts';
import { createScriptJournalStore } from '../script-journal-store.ts';
import { createImportJobStore } from '../import-job-store.ts';
import { createKeptReplyStore } from '../kept-reply-store.ts';
import { createMetaStore } from '../meta-store.ts';
import { migrate } from '../migrate.ts';
import type { Store } from '../ports.ts';
import { createRegistryStore } from '../registry-store.ts';
import { createRollupStore } from '../rollup-store.ts';
import { createPeopleStore } from '../people-store.ts';
import { createSessionStore } from '../session-store.ts';
import { prepareDataFolder } from './data-folder.ts';
import { createCallStore } from './call-store.ts';
import { createCheckpoints } from './checkpoints.ts';
import { addRollups } from './add-rollups.ts';
import { openDatabase, type OpenedDatabase, type SqliteDatabase } from './database.ts';
import { translateSqlite } from './errors.ts';
import { findDamage, howToRestore } from './find-damage.ts';
import { isMarkedPartial, requireWal } from './in-use-mark.ts';
import { watchFile } from './watch-file.ts';
import { repeat } from '../../lib/timing/repeat.ts';

const probeEveryMs = 5_000;

/** Opens the store in a data folder, which is made when it is absent. */
export async function openSqliteStore(dataDir: string, log?: Pick<Logger, 'warn'>): Promise<Store> {
  const translate = translateSqlite(dataDir);
  const file = prepareDataFolder(dataDir);
  let opened: OpenedDatabase | undefined;
  const checkpoints = createCheckpoints(file, async (as) => opened?.mark(as));
  const onUnowned = () =>
    log?.warn('a transaction was open in the store that nothing owned; its connection has been replaced');
  try {
    await requireWal(file, dataDir);
    const isMarked = isMarkedPartial(file);
    opened = await openDatabase(file, {
      isMarked,
      onCommitted: checkpoints.wrote,
      onUnmarked: checkpoints.start,
      onUnowned,
    });
    await migrate(opened.migrations, 'sqlite');
  } catch (thrown) {
    await opened?.close();
    throw translate(thrown);
  }
  const database = opened;
  // Taking the write lock proves more than a read, and writing the same number again leaves no trace.
  const ping = async () => {
    await database.quick.write((trx) => sql`update registry_seq set seq = seq where id = 1`.execute(trx));
  };
  const guard = createGuard(translate, ping);
  const { guarded, writing } = guard;
  // A registry change is on disk when it is acknowledged. Call records and what is kept for a while may lose the last
  // moments of a power cut (never of a crash), and need not wait for the disk.
  const durable: Database = {
    ...database.durable,
    write: (work) => writing(() => database.durable.write(work)),
  };
  const quick: SqliteDatabase = {
    ...database.quick,
    write: (work) => writing(() => database.quick.write(work)),
  };
  const stopProbing = repeat(probeEveryMs, guard.probe, () => {});
  const watchers = new Set<() => void>();
  const parts = guarded({
    async watch(onChange: () => void) {
      const stop = watchFile(file, onChange);
      watchers.add(stop);
      return async () => {
        watchers.delete(stop);
        stop();
      };
    },
    ping: () => writing(ping),
    async damage(part: 'registry' | 'all') {
      const found = await findDamage(file, part);
      return found.length === 0
        ? null
        : `handrail.db in the data folder ${dataDir} is damaged (${found.join('; ')}). ${howToRestore}`;
    },
    async close() {
      stopProbing();
      for (const stop of watchers) stop();
      watchers.clear();
      await checkpoints.close();
      await database.close();
    },
  });
  const { newBatch, ...calls } = createCallStore({
    quick,
    search: database.search,
    giveBackSome: () => writing(database.giveBackSome),
  });
  return {
    kind: 'sqlite',
    // It runs in this process: nothing waits for a connection.
    state: () => ({
      ...guard.counts,
      unownedTransactions: database.unownedTransactions,
      connections: database.connections + watchers.size,
      connectionsInUse: 0,
      waiting: 0,
    }),
    registry: guarded(createRegistryStore(durable, 'sqlite')),
    calls: { newBatch, ...guarded(calls) },
    rollups: guarded(createRollupStore(quick, addRollups(quick))),
    meta: guarded(createMetaStore(durable)),
    leases: guarded(createLeaseStore(durable, 'sqlite')),
    budgets: null,
    hints: null,
    people: guarded(createPeopleStore(durable, 'sqlite')),
    sessions: guarded(createSessionStore(durable)),
    audit: guarded(createAuditStore(durable)),
    keptReplies: guarded(createKeptReplyStore(quick)),
    scriptJournal: guarded(createScriptJournalStore(quick)),
    checkRuns: guarded(createCheckRunStore(quick)),
    importJobs: guarded(createImportJobStore(durable)),
    grants: guarded(createGrantStore(durable)),
    factors: guarded(createFactorStore(durable)),
    accounts: guarded(createAccountStore(durable)),
    ...parts,
  };
}
