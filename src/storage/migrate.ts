import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { HandrailError } from '../domain/errors.ts';
import type { StoreKind } from '../domain/settings.ts';
import type { Tables } from './schema.ts';
import * as firstTables from './migrations/0001-first-tables.ts';
import * as adminsAndAudit from './migrations/0002-admins-and-audit.ts';
import * as callRollups from './migrations/0003-call-rollups.ts';
import * as callSegments from './migrations/0004-call-segments.ts';
import * as numbersOfCalls from './migrations/0005-numbers-of-calls.ts';
import * as callLayouts from './migrations/0006-call-layouts.ts';
import * as keptReplies from './migrations/0007-kept-replies.ts';
import * as sharedBudgets from './migrations/0008-shared-budgets.ts';
import * as scriptEffects from './migrations/0009-script-effects.ts';
import * as whatModelsRead from './migrations/0010-what-models-read.ts';
import * as composedTools from './migrations/0011-composed-tools.ts';
import * as modelsAndChecks from './migrations/0012-models-and-checks.ts';

interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, kind: StoreKind) => Promise<void>;
  /** Whether it only adds what an earlier version can do without, so that one goes on working beside this one. */
  readonly adds?: true;
}

// Forward only: an entry, once released, is never edited, removed or moved, nor what it does. So migrations import no
// code that can change: test/architecture.test.ts.
const migrations: readonly Migration[] = [
  { name: '0001-first-tables', up: firstTables.up },
  { name: '0002-admins-and-audit', up: adminsAndAudit.up },
  { name: '0003-call-rollups', up: callRollups.up },
  { name: '0004-call-segments', up: callSegments.up },
  { name: '0005-numbers-of-calls', up: numbersOfCalls.up },
  { name: '0006-call-layouts', up: callLayouts.up, adds: true },
  { name: '0007-kept-replies', up: keptReplies.up, adds: true },
  { name: '0008-shared-budgets', up: sharedBudgets.up, adds: true },
  { name: '0009-script-effects', up: scriptEffects.up, adds: true },
  { name: '0010-what-models-read', up: whatModelsRead.up, adds: true },
  { name: '0011-composed-tools', up: composedTools.up, adds: true },
  { name: '0012-models-and-checks', up: modelsAndChecks.up, adds: true },
];

// Any fixed number will do; it only has to differ from the locks of other programs in the same database.
const advisoryLock = 4_801_517_202;

/**
 * Brings the tables up to this version in one transaction; processes that start at once wait for each other.
 * Throws `store_newer` when the store knows migrations that this version does not; what a newer version merely added is
 * no reason to.
 */
export async function migrate(db: Kysely<Tables>, kind: StoreKind): Promise<void> {
  await db.transaction().execute(async (trx) => {
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
    const known = new Set(migrations.map((migration) => migration.name));
    if (![...applied].every((name) => known.has(name))) {
      throw new HandrailError(
        'store_newer',
        'The store was written by a newer version of Handrail. Start that version, or restore a backup made with this one.',
      );
    }
    for (const migration of migrations) {
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
  db: Kysely<Tables>,
  table: 'schema_migrations' | 'schema_additions',
): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom(table).select('name').execute();
  return new Set(rows.map((row) => row.name));
}
