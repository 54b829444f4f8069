import type { Kysely } from 'kysely';

/** Makes the tables for admins, their sessions and the audit log. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const schema = db.schema;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';

  await schema
    .createTable('admins')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .execute();

  await schema
    .createTable('admin_sessions')
    .addColumn('hash', 'text', (c) => c.primaryKey().notNull())
    .addColumn('admin_id', 'text', (c) => c.notNull())
    .addColumn('created_at_ms', wide, (c) => c.notNull())
    .addColumn('last_seen_at_ms', wide, (c) => c.notNull())
    .addColumn('expires_at_ms', wide, (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('admin_sessions_admin').on('admin_sessions').column('admin_id').execute();

  // Ids sort by time, so the primary key is the order in which the log is read.
  await schema
    .createTable('audit_log')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('at_ms', wide, (c) => c.notNull())
    .addColumn('actor_id', 'text', (c) => c.notNull())
    .addColumn('actor_label', 'text', (c) => c.notNull())
    .addColumn('address', 'text')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject_kind', 'text', (c) => c.notNull())
    .addColumn('subject_id', 'text')
    .addColumn('subject_label', 'text')
    .addColumn('before_text', 'text')
    .addColumn('after_text', 'text')
    .execute();
  await schema.createIndex('audit_log_subject').on('audit_log').columns(['subject_id', 'id']).execute();
  await schema.createIndex('audit_log_actor').on('audit_log').columns(['actor_id', 'id']).execute();
}
