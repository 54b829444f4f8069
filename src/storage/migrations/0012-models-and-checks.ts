import type { Kysely } from 'kysely';

/** Makes room for language models, for checks of what they do with a server, and for what became of these. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await schema
    .createTable('models')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .execute();
  await schema
    .createTable('checks')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('server_id', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createTable('check_runs')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('server_id', 'text', (c) => c.notNull())
    .addColumn('started_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('check_runs_server').on('check_runs').columns(['server_id', 'id']).execute();
}
