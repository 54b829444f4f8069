import type { Kysely } from 'kysely';

/** Makes room for replies that are kept for a while, sealed, in parts. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  const bytes = kind === 'postgres' ? 'bytea' : 'blob';
  await schema
    .createTable('kept_replies')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('caller_id', 'text', (c) => c.notNull())
    .addColumn('created_at_ms', wide, (c) => c.notNull())
    .addColumn('expires_at_ms', wide, (c) => c.notNull())
    .addColumn('bytes', wide, (c) => c.notNull())
    .addColumn('head', bytes, (c) => c.notNull())
    .execute();
  await schema.createIndex('kept_replies_end').on('kept_replies').column('expires_at_ms').execute();
  await schema
    .createTable('kept_reply_parts')
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('content', bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('kept_reply_parts_pk', ['id', 'part'])
    .execute();
}
