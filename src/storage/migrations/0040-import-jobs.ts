import type { Kysely } from 'kysely';

/** Creates the tables of imports that run on their own. Earlier versions can do without them. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await db.schema
    .createTable('import_jobs')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('import_job_parts')
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('part', wide, (c) => c.notNull())
    .addColumn('content', kind === 'postgres' ? 'bytea' : 'blob', (c) => c.notNull())
    .addPrimaryKeyConstraint('import_job_parts_key', ['id', 'name', 'part'])
    .execute();
}
