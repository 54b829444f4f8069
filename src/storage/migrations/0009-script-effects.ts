import type { Kysely } from 'kysely';

/** Makes room for what scripts are about to change, written down before they do. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await schema
    .createTable('script_runs')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('head', 'text', (c) => c.notNull())
    .addColumn('process', 'text', (c) => c.notNull())
    .addColumn('started_at_ms', wide, (c) => c.notNull())
    .addColumn('ended_at_ms', wide)
    .execute();
  await schema.createIndex('script_runs_start').on('script_runs').column('started_at_ms').execute();
  await schema
    .createTable('script_effects')
    .addColumn('call_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('began_at_ms', wide, (c) => c.notNull())
    .addColumn('state', 'text')
    .execute();
  await schema.createIndex('script_effects_run').on('script_effects').column('run_id').execute();
}
