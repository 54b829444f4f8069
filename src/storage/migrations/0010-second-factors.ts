import type { Kysely } from 'kysely';

/**
 * Creates the table of second factors. It isn't an addition that earlier versions can live with: they would let people
 * in with the password alone.
 */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await db.schema
    .createTable('person_factors')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('lookup', 'text', (c) => c.unique())
    .addColumn('mark', wide, (c) => c.notNull())
    .addColumn('used_at_ms', wide)
    .addColumn('doc', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('person_factors_person')
    .on('person_factors')
    .columns(['person_id', 'kind'])
    .execute();
}
