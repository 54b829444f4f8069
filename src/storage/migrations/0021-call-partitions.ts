import { type Kysely, sql } from 'kysely';

/**
 * Prepares call records for stores of any size. On SQLite, groups sum up what segments contain, so that a search skips
 * many at once; they are derived, and triggers mark those that no longer fit. On PostgreSQL, records move into a table
 * with a partition for each day; what is there stays readable through a view until it has been moved in small steps.
 */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  await (kind === 'sqlite' ? createSegmentGroups(db) : createPartitionedRecords(db));
}

async function createSegmentGroups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('call_segment_groups')
    .addColumn('to_ms', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('first_ms', 'integer', (c) => c.notNull())
    .addColumn('records', 'integer', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('layout', 'integer', (c) => c.notNull())
    .addColumn('stale', 'integer', (c) => c.notNull())
    .addColumn('terms', 'text')
    .execute();
  await sql`create index call_segment_groups_stale on call_segment_groups (to_ms) where stale = 1`.execute(
    db,
  );
  await sql`create index call_segment_groups_span on call_segment_groups (to_ms, first_ms, stale)`.execute(
    db,
  );
  for (const [name, event, row] of [
    ['inserted', 'insert', 'new'],
    ['deleted', 'delete', 'old'],
    ['changed', 'update of layout, terms, records', 'new'],
  ] as const)
    await sql
      .raw(
        `create trigger call_segment_${name} after ${event} on call_segments
         when ${row}.last_ms <= (select max(to_ms) from call_segment_groups)
         begin
           update call_segment_groups set stale = 1 where stale = 0
             and to_ms = (select min(to_ms) from call_segment_groups where to_ms >= ${row}.last_ms);
         end`,
      )
      .execute(db);
}

async function createPartitionedRecords(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db);
  await run('alter table call_records rename to call_records_unpartitioned');
  await run('alter index call_records_pkey rename to call_records_unpartitioned_pkey');
  for (const name of [
    'time',
    'tool_time',
    'server_time',
    'caller_time',
    'failure_time',
    'parent_time',
    'later',
  ])
    await run(`alter index call_records_${name} rename to call_records_unpartitioned_${name}`);
  await run(
    'create table call_records (like call_records_unpartitioned including defaults, primary key (id, started_at_ms)) ' +
      'partition by range (started_at_ms)',
  );
  await run('create index call_records_time on call_records (started_at_ms)');
  for (const [name, column] of [
    ['tool', 'tool_name'],
    ['server', 'server_slug'],
    ['caller', 'caller_id'],
  ] as const)
    await run(`create index call_records_${name}_time on call_records (${column}, started_at_ms)`);
  await run(
    "create index call_records_failure_time on call_records (outcome, started_at_ms) where outcome <> 'ok'",
  );
  await run(
    'create index call_records_parent_time on call_records (parent_id, started_at_ms) where parent_id is not null',
  );
  await run('create index call_records_later on call_records (layout) where layout > 1');
  const { rows } = await sql`select 1 from call_records_unpartitioned limit 1`.execute(db);
  if (rows.length === 0) {
    await run('create view all_call_records as select * from call_records');
    await run('drop table call_records_unpartitioned');
  } else
    await run(
      'create view all_call_records as select * from call_records union all select * from call_records_unpartitioned',
    );
}
