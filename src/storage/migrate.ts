import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { storageErrors } from '../domain/error-messages/storage.ts';
import { exportOmissions } from '../domain/export-omissions.ts';
import type { StoreKind } from '../domain/settings.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';
import * as initialSchema from './migrations/0001-initial-schema.ts';
import * as people from './migrations/0003-people.ts';
import * as authorizationServer from './migrations/0004-authorization-server.ts';
import * as secondFactors from './migrations/0010-second-factors.ts';
import * as accounts from './migrations/0020-accounts.ts';
import * as callPartitions from './migrations/0021-call-partitions.ts';
import * as auditChain from './migrations/0030-audit-chain.ts';
import * as importJobs from './migrations/0040-import-jobs.ts';

export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, kind: StoreKind) => Promise<void>;
  /** Whether it only adds what an earlier version can do without, so that version keeps working alongside this one. */
  readonly adds?: true;
}

// Forward only: an entry, once released, is never edited, removed or moved, nor what it does. So migrations import no
// code that can change: test/architecture.test.ts.
export const migrations: readonly Migration[] = [
  { name: '0001-initial-schema', up: initialSchema.up },
  { name: '0003-people', up: people.up },
  { name: '0004-authorization-server', up: authorizationServer.up, adds: true },
  { name: '0010-second-factors', up: secondFactors.up },
  { name: '0020-accounts', up: accounts.up, adds: true },
  { name: '0021-call-partitions', up: callPartitions.up },
  { name: '0030-audit-chain', up: auditChain.up },
  { name: '0040-import-jobs', up: importJobs.up, adds: true },
];

// Every store of a development version lists it.
const developmentSchema = '0001-first-tables';

// Any fixed number will do; it only has to differ from the locks of other programs in the same database.
const advisoryLock = 4_801_517_202;

/**
 * Migrates the tables to this version in one transaction; processes that start at the same time wait for each other.
 * Throws `store_newer` when the store has migrations that this version doesn't know, unless they only added something.
 * Only tests pass `list`.
 */
export async function migrate(
  db: Pick<Database, 'write'>,
  kind: StoreKind,
  list: readonly Migration[] = migrations,
): Promise<void> {
  await db.write(async (trx) => {
    // On SQLite the transaction itself is exclusive among writers.
    if (kind === 'postgres') {
      // Waiting for another process, or changing a large table, may take longer than a query should.
      await sql`set local statement_timeout = 0`.execute(trx);
      await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(trx);
    }
    for (const table of ['schema_migrations', 'schema_additions'])
      await trx.schema
        .createTable(table)
        .ifNotExists()
        .addColumn('name', 'text', (c) => c.primaryKey().notNull())
        .addColumn('applied_at_ms', kind === 'postgres' ? 'bigint' : 'integer', (c) => c.notNull())
        .execute();
    const applied = await namesIn(trx, 'schema_migrations');
    const added = await namesIn(trx, 'schema_additions');
    if (applied.has(developmentSchema)) {
      throw storageErrors.madeByDevelopmentVersion({ omissions: exportOmissions });
    }
    const known = new Set(list.map((migration) => migration.name));
    if (![...applied].every((name) => known.has(name))) {
      throw storageErrors.newerStore();
    }
    for (const migration of list) {
      if (applied.has(migration.name) || added.has(migration.name)) continue;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a migration sees the tables as they were then, not as schema.ts types them now
      await migration.up(trx as unknown as Kysely<unknown>, kind);
      await trx
        .insertInto(migration.adds ? 'schema_additions' : 'schema_migrations')
        .values({ name: migration.name, applied_at_ms: Date.now() })
        .execute();
    }
  });
}

async function namesIn(
  trx: Transaction<Tables>,
  table: 'schema_migrations' | 'schema_additions',
): Promise<ReadonlySet<string>> {
  const rows = await trx.selectFrom(table).select('name').execute();
  return new Set(rows.map((row) => row.name));
}
