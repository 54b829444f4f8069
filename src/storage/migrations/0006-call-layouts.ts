import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Lets a call record say its layout, and makes room for fields that come after the first: the call it was made for. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const table = kind === 'postgres' ? 'call_records' : 'call_segments';
  // What is there, and what an earlier version goes on writing, has the first layout.
  await schema
    .alterTable(table)
    .addColumn('layout', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  if (kind === 'postgres') {
    await schema.alterTable('call_records').addColumn('parent_id', 'text').execute();
    await sql`create index call_records_parent_time on call_records (parent_id, started_at_ms) where parent_id is not null`.execute(
      db,
    );
    await sql`create index call_records_later on call_records (layout) where layout > 1`.execute(db);
    return;
  }
  await schema.alterTable('call_segment_bodies').addColumn('more', 'text').execute();
  await sql`create index call_segments_later on call_segments (last_ms, first_ms) where layout > 1`.execute(
    db,
  );
  await sql`create index call_segments_small_later on call_segments (tier, last_ms) where tier >= 10`.execute(
    db,
  );
}
