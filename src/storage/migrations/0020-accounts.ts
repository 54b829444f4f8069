import type { Kysely } from 'kysely';

/** Creates the table of people's own accounts at APIs. Earlier versions can do without it. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addColumn('api_id', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('accounts_person')
    .on('accounts')
    .columns(['person_id', 'api_id'])
    .unique()
    .execute();
  await db.schema.createIndex('accounts_api').on('accounts').columns(['api_id', 'id']).execute();
}
