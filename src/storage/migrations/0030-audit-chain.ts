import type { Kysely } from 'kysely';

/**
 * Makes the audit log a hash chain. Lines written before aren't part of it. It isn't an addition that earlier versions can
 * live with: they would write lines that nothing vouches for.
 */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await db.schema.alterTable('audit_log').addColumn('seq', wide).execute();
  await db.schema.alterTable('audit_log').addColumn('hash', 'text').execute();
  await db.schema.createIndex('audit_log_seq').on('audit_log').column('seq').unique().execute();
  await db.schema
    .createTable('audit_chain')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('seq', wide, (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('removed_seq', wide, (c) => c.notNull())
    .addColumn('removed_hash', 'text', (c) => c.notNull())
    .execute();
}
