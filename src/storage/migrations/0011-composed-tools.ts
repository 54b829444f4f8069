import type { Kysely } from 'kysely';

/** Makes room for scripts that operators saved as tools. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('composed_tools')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', kind === 'postgres' ? 'bigint' : 'integer', (c) => c.notNull())
    .addColumn('updated_at_ms', kind === 'postgres' ? 'bigint' : 'integer', (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('server_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('composed_tools_name')
    .on('composed_tools')
    .columns(['server_id', 'name'])
    .unique()
    .execute();
}
