import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { type ClientConfig, Pool, types } from 'pg';
import type { Logger } from 'pino';
import { repeat } from '../../lib/timing/repeat.ts';
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
import type { Tables } from '../schema.ts';
import { createBudgetStore } from './budget-store.ts';
import { createCallStore } from './call-store.ts';
import { addRollups } from './add-rollups.ts';
import { parseDatabaseUrl, translatePostgres } from './errors.ts';
import { findLimits, limitTexts, connectionOptions } from './connection-limits.ts';
import { listen, createNotifiedHints } from './listen.ts';
import { partReader } from './read-part.ts';

const channel = 'handrail_registry';
const int8 = 20;
const probeEveryMs = 5_000;

/** Opens the store in a PostgreSQL database that exists. */
export async function openPostgresStore(databaseUrl: string, log?: Pick<Logger, 'warn'>): Promise<Store> {
  const translate = translatePostgres(parseDatabaseUrl(databaseUrl));
  const { limits, isPooled } = await findLimits(databaseUrl, translate);
  const connection: ClientConfig = {
    ...connectionOptions(databaseUrl),
    ...limits,
    query_timeout: 35_000,
    // Our whole numbers are counts and milliseconds, all well within what a double holds exactly.
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  };
  const pool = new Pool({ ...connection, max: 10, idleTimeoutMillis: 30_000 });
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  pool.on('error', (thrown) => log?.warn({ err: thrown }, 'an idle database connection was lost'));
  // The same for one that breaks between two statements of a transaction, which the pool does not listen to; the
  // next statement reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const ping = () =>
    kysely.transaction().execute((trx) => sql`update registry_seq set seq = seq where id = 1`.execute(trx));
  const guard = createGuard(translate, ping);
  const { guarded, writing } = guard;
  // Behind a pooler a transaction brings its limits along. A single statement ends with the client's own timeout.
  const limited =
    <T>(work: (trx: Transaction<Tables>) => Promise<T>) =>
    async (trx: Transaction<Tables>): Promise<T> => {
      if (isPooled) await sql.raw(limitTexts).execute(trx);
      return work(trx);
    };
  const db: Database = {
    reads: kysely,
    snapshot: (work) =>
      kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(limited(work)),
    write: (work) => writing(() => kysely.transaction().execute(limited(work))),
  };
  try {
    await migrate(db, 'postgres');
  } catch (thrown) {
    await kysely.destroy();
    throw translate(thrown);
  }
  const stopProbing = repeat(probeEveryMs, guard.probe, () => {});

  const notified = createNotifiedHints(async (text) => {
    await sql`select pg_notify(${channel}, ${text})`.execute(kysely);
  }, log);
  const stops = new Set<() => Promise<void>>();
  const parts = guarded({
    async watch(onChange: () => void) {
      const onNotice = (text: string) => (text === '' ? onChange() : notified.hear(text));
      const stop = await listen({ ...connection, query_timeout: 20_000 }, channel, onNotice, log);
      stops.add(stop);
      return async () => {
        stops.delete(stop);
        await stop();
      };
    },
    async ping() {
      await writing(ping);
    },
    // PostgreSQL keeps checksums of its own, and says so when a page does not fit them.
    damage: async () => null,
    async close() {
      stopProbing();
      for (const stop of stops) await stop();
      stops.clear();
      await kysely.destroy();
    },
  });
  const notify = async (trx: Transaction<Tables>): Promise<void> => {
    await sql`select pg_notify(${channel}, '')`.execute(trx);
  };
  const registry = createRegistryStore(db, 'postgres', notify);
  const { newBatch, ...calls } = createCallStore(db);
  return {
    kind: 'postgres',
    state: () => ({
      ...guard.counts,
      unownedTransactions: 0,
      connections: pool.totalCount,
      connectionsInUse: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    registry: guarded(registry),
    calls: { newBatch, ...guarded(calls) },
    rollups: guarded(createRollupStore(db, addRollups(db))),
    meta: guarded(createMetaStore(db)),
    leases: guarded(createLeaseStore(db, 'postgres')),
    budgets: guarded(createBudgetStore(db)),
    hints: notified.hints,
    people: guarded(createPeopleStore(db, 'postgres', notify)),
    sessions: guarded(createSessionStore(db)),
    audit: guarded(createAuditStore(db)),
    keptReplies: guarded(createKeptReplyStore(db, { readPart: partReader(pool) })),
    scriptJournal: guarded(createScriptJournalStore(db)),
    checkRuns: guarded(createCheckRunStore(db)),
    importJobs: guarded(createImportJobStore(db)),
    grants: guarded(createGrantStore(db)),
    factors: guarded(createFactorStore(db)),
    accounts: guarded(createAccountStore(db)),
    ...parts,
  };
}
