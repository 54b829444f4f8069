import { type Kysely, sql } from 'kysely';

const bucketCount = 34;

/** Creates the tables of 0.1.0. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  await createRegistry(db, kind);
  await createAdminTables(db, kind);
  await (kind === 'postgres' ? createCallRecords(db) : createCallSegments(db));
  await createCallRollups(db, kind);
  await createKeptReplies(db, kind);
  await createScriptJournal(db, kind);
  if (kind === 'postgres') await createBudgets(db);
}

// PostgreSQL's plain `integer` and `real` are too narrow for epoch milliseconds.
const wideOf = (kind: 'sqlite' | 'postgres') => (kind === 'postgres' ? 'bigint' : 'integer');
const fractionOf = (kind: 'sqlite' | 'postgres') => (kind === 'postgres' ? 'double precision' : 'real');

async function createRegistry(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = wideOf(kind);
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
  await entity('composed_tools')
    .addColumn('server_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('composed_tools_name')
    .on('composed_tools')
    .columns(['server_id', 'name'])
    .unique()
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
  await entity('admins')
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .execute();
  await entity('settings').execute();
  await entity('models')
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .execute();
  await entity('checks')
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
}

/** Sessions, the audit log, and what the store knows about itself. */
async function createAdminTables(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = wideOf(kind);
  await schema
    .createTable('meta')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
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

/** On PostgreSQL every call record is a row. */
async function createCallRecords(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
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
    .addColumn('started_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'double precision', (c) => c.notNull())
    .addColumn('upstream_ms', 'double precision')
    .addColumn('upstream_status', 'integer')
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('cached', 'integer', (c) => c.notNull())
    .addColumn('request_bytes', 'bigint', (c) => c.notNull())
    .addColumn('reply_bytes', 'bigint', (c) => c.notNull())
    .addColumn('arguments_text', 'text')
    .addColumn('reply_text', 'text')
    .addColumn('request_line', 'text')
    .addColumn('output_tokens', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('steps_text', 'text')
    .addColumn('layout', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('parent_id', 'text')
    .addColumn('read_tokens', 'bigint')
    .addColumn('read_text', 'text')
    .addColumn('reply_outline', 'text')
    .execute();
  await schema.createIndex('call_records_time').on('call_records').column('started_at_ms').execute();
  for (const [name, column] of [
    ['tool', 'tool_name'],
    ['server', 'server_slug'],
    ['caller', 'caller_id'],
  ] as const)
    await schema
      .createIndex(`call_records_${name}_time`)
      .on('call_records')
      .columns([column, 'started_at_ms'])
      .execute();
  // Nearly every call succeeds, so only failures are worth an index: it keeps inserting cheap.
  await sql`create index call_records_failure_time on call_records (outcome, started_at_ms) where outcome <> 'ok'`.execute(
    db,
  );
  await sql`create index call_records_parent_time on call_records (parent_id, started_at_ms) where parent_id is not null`.execute(
    db,
  );
  await sql`create index call_records_later on call_records (layout) where layout > 1`.execute(db);
}

/** On SQLite call records are stored in segments. */
async function createCallSegments(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('call_segments')
    .addColumn('seq', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('min_id', 'text', (c) => c.notNull())
    .addColumn('max_id', 'text', (c) => c.notNull())
    .addColumn('first_ms', 'integer', (c) => c.notNull())
    .addColumn('last_ms', 'integer', (c) => c.notNull())
    .addColumn('records', 'integer', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('tier', 'integer', (c) => c.notNull())
    .addColumn('terms', 'text', (c) => c.notNull())
    .addColumn('layout', 'integer', (c) => c.notNull().defaultTo(1))
    .addUniqueConstraint('call_segments_ids', ['min_id', 'max_id'])
    .execute();
  await schema
    .createIndex('call_segments_time')
    .on('call_segments')
    .columns(['last_ms', 'first_ms'])
    .execute();
  // Most segments are not merged any more.
  await sql`create index call_segments_small on call_segments (tier, last_ms) where tier < 2`.execute(db);
  await sql`create index call_segments_later on call_segments (last_ms, first_ms) where layout > 1`.execute(
    db,
  );
  await sql`create index call_segments_small_later on call_segments (tier, last_ms) where tier >= 10`.execute(
    db,
  );
  await schema
    .createTable('call_segment_bodies')
    .addColumn('seq', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('shared', 'text', (c) => c.notNull())
    .addColumn('numbers', 'blob', (c) => c.notNull())
    .addColumn('texts', 'text', (c) => c.notNull())
    .addColumn('more', 'text')
    .execute();
}

async function createCallRollups(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const wide = wideOf(kind);
  let table = db.schema
    .createTable('call_rollups')
    .addColumn('dimension', 'text', (c) => c.notNull())
    .addColumn('width', 'text', (c) => c.notNull())
    .addColumn('start_ms', wide, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('calls', wide, (c) => c.notNull())
    .addColumn('errors', wide, (c) => c.notNull())
    .addColumn('request_bytes', wide, (c) => c.notNull())
    .addColumn('reply_bytes', wide, (c) => c.notNull())
    .addColumn('output_tokens', wide, (c) => c.notNull())
    .addColumn('duration_ms', fractionOf(kind), (c) => c.notNull());
  for (let i = 0; i < bucketCount; i++) table = table.addColumn(`h${i}`, 'integer', (c) => c.notNull());
  // Read by time range, so rows are stored in that order.
  await table
    .addColumn('saved_tokens', wide, (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('call_rollups_pk', ['dimension', 'width', 'start_ms', 'name'])
    .$call((made) => (kind === 'sqlite' ? made.modifyEnd(sql`without rowid`) : made))
    .execute();
}

async function createKeptReplies(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = wideOf(kind);
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

async function createScriptJournal(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = wideOf(kind);
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

/**
 * Limits that processes on several machines share. On SQLite all processes are on one machine, and their parent keeps
 * them in memory. Nothing in these tables outlives its minute, so the database need not log them.
 */
async function createBudgets(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table budgets (key text primary key, state text not null, until_ms bigint not null)`.execute(
    db,
  );
  await sql`create unlogged table budget_members (id text primary key, until_ms bigint not null)`.execute(db);
}
