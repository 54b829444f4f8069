import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Makes the tables of the first version. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const schema = db.schema;
  // PostgreSQL's plain `integer` and `real` are too narrow for epoch milliseconds.
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  const fraction = kind === 'postgres' ? 'double precision' : 'real';

  const entity = (table: string) =>
    schema
      .createTable(table)
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('revision', wide, (c) => c.notNull())
      .addColumn('updated_at_ms', wide, (c) => c.notNull())
      .addColumn('doc', 'text', (c) => c.notNull());

  await entity('apis')
    .addColumn('slug', 'text', (c) => c.notNull().unique())
    .execute();
  // Foreign keys are checked when the transaction commits, so the order of changes within one commit does not matter.
  await entity('tools')
    .addColumn('api_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addUniqueConstraint('tools_api_id_name', ['api_id', 'name'])
    .addForeignKeyConstraint('tools_api_id', ['api_id'], 'apis', ['id'], (c) =>
      c.deferrable().initiallyDeferred(),
    )
    .execute();
  await entity('servers')
    .addColumn('slug', 'text', (c) => c.notNull().unique())
    .execute();
  await entity('credentials')
    .addColumn('api_id', 'text', (c) => c.notNull())
    .addColumn('caller_id', 'text')
    .addForeignKeyConstraint('credentials_api_id', ['api_id'], 'apis', ['id'], (c) =>
      c.deferrable().initiallyDeferred(),
    )
    .execute();
  await schema
    .createIndex('credentials_api_id_caller_id')
    .on('credentials')
    .columns(['api_id', 'caller_id'])
    .execute();
  await entity('access_keys')
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .execute();
  await entity('settings').execute();
  await schema
    .createTable('given_names')
    .addColumn('server_id', 'text', (c) => c.notNull())
    .addColumn('tool_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('given_names_pk', ['server_id', 'tool_id'])
    .execute();

  await schema
    .createTable('registry_seq')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('seq', wide, (c) => c.notNull())
    .addColumn('pruned_seq', wide, (c) => c.notNull())
    .addColumn('position', wide, (c) => c.notNull())
    .execute();
  await sql`insert into registry_seq (id, seq, pruned_seq, position) values (1, 0, 0, 0)`.execute(db);
  await schema
    .createTable('registry_changes')
    .addColumn('position', wide, (c) => c.primaryKey().notNull())
    .addColumn('seq', wide, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('second_id', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('registry_changes_seq').on('registry_changes').column('seq').execute();

  await schema
    .createTable('call_records')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('tool_id', 'text')
    .addColumn('tool_name', 'text', (c) => c.notNull())
    .addColumn('api_slug', 'text')
    .addColumn('server_slug', 'text', (c) => c.notNull())
    .addColumn('surface', 'text', (c) => c.notNull())
    .addColumn('caller_id', 'text', (c) => c.notNull())
    .addColumn('caller_label', 'text', (c) => c.notNull())
    .addColumn('client_name', 'text')
    .addColumn('client_version', 'text')
    .addColumn('started_at_ms', wide, (c) => c.notNull())
    .addColumn('duration_ms', fraction, (c) => c.notNull())
    .addColumn('upstream_ms', fraction)
    .addColumn('upstream_status', 'integer')
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('cached', 'integer', (c) => c.notNull())
    .addColumn('request_bytes', wide, (c) => c.notNull())
    .addColumn('reply_bytes', wide, (c) => c.notNull())
    .addColumn('arguments_text', 'text')
    .addColumn('reply_text', 'text')
    .addColumn('request_line', 'text')
    .execute();
  await schema.createIndex('call_records_time').on('call_records').column('started_at_ms').execute();
  await schema
    .createIndex('call_records_tool_time')
    .on('call_records')
    .columns(['tool_name', 'started_at_ms'])
    .execute();
  await schema
    .createIndex('call_records_server_time')
    .on('call_records')
    .columns(['server_slug', 'started_at_ms'])
    .execute();
  await schema
    .createIndex('call_records_caller_time')
    .on('call_records')
    .columns(['caller_id', 'started_at_ms'])
    .execute();
  // Nearly every call ends well, so only failures are worth an index: it keeps inserting cheap.
  await sql`create index call_records_failure_time on call_records (outcome, started_at_ms) where outcome <> 'ok'`.execute(
    db,
  );

  await schema
    .createTable('meta')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}
