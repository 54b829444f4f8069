import type { Kysely } from 'kysely';

/** Creates the table of the built-in authorization server. Earlier versions can do without it. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await db.schema
    .createTable('grant_entries')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('lookup', 'text')
    .addColumn('person_id', 'text')
    .addColumn('created_at_ms', wide, (c) => c.notNull())
    .addColumn('expires_at_ms', wide, (c) => c.notNull())
    .addColumn('consumed_at_ms', wide)
    .addColumn('used_at_ms', wide)
    .addColumn('doc', 'text', (c) => c.notNull())
    .execute();
  for (const [name, columns] of [
    ['grant', ['grant_id']],
    ['lookup', ['kind', 'lookup']],
    ['person', ['kind', 'person_id', 'created_at_ms']],
    ['time', ['kind', 'created_at_ms']],
    ['end', ['expires_at_ms']],
  ] as const)
    await db.schema
      .createIndex(`grant_entries_${name}`)
      .on('grant_entries')
      .columns([...columns])
      .execute();
}
