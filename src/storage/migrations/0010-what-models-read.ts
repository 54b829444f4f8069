import type { Kysely } from 'kysely';

/** Makes room for what a model read of a reply, and for the tokens that were saved. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await schema
    .alterTable('call_rollups')
    .addColumn('saved_tokens', wide, (c) => c.notNull().defaultTo(0))
    .execute();
  // On SQLite records stand in segments, which hold whatever a layout has.
  if (kind === 'sqlite') return;
  await schema
    .alterTable('call_records')
    .addColumn('read_tokens', 'bigint')
    .addColumn('read_text', 'text')
    .addColumn('reply_outline', 'text')
    .execute();
}
