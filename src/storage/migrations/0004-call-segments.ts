import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { toCallRecord } from '../call-rows.ts';
import type { CallRecordRow, StoreKind } from '../schema.ts';
import type { Segment } from '../sqlite/call-segment.ts';
import { SegmentBuilder } from '../sqlite/segment-builder.ts';

const recordsPerSegment = 400;

/** On SQLite, moves call records from rows of their own into segments. */
export async function up(db: Kysely<unknown>, kind: StoreKind): Promise<void> {
  if (kind === 'postgres') return;
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
    .addUniqueConstraint('call_segments_ids', ['min_id', 'max_id'])
    .execute();
  await schema
    .createIndex('call_segments_time')
    .on('call_segments')
    .columns(['last_ms', 'first_ms'])
    .execute();
  // Most segments are not merged any more.
  await sql`create index call_segments_small on call_segments (tier, last_ms) where tier < 2`.execute(db);
  await schema
    .createTable('call_segment_bodies')
    .addColumn('seq', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('shared', 'text', (c) => c.notNull())
    .addColumn('numbers', 'blob', (c) => c.notNull())
    .addColumn('texts', 'text', (c) => c.notNull())
    .execute();

  let after = { started_at_ms: Number.MIN_SAFE_INTEGER, id: '' };
  for (;;) {
    const { rows } = await sql<CallRecordRow>`
      select * from call_records where (started_at_ms, id) > (${after.started_at_ms}, ${after.id})
      order by started_at_ms, id limit ${recordsPerSegment}`.execute(db);
    if (rows.length === 0) break;
    const builder = new SegmentBuilder();
    for (const row of rows) builder.add(toCallRecord(row));
    await insert(db, builder.build());
    after = rows.at(-1)!;
  }
  await schema.dropTable('call_records').execute();
}

async function insert(db: Kysely<unknown>, segment: Segment): Promise<void> {
  const { minId, maxId, firstMs, lastMs, records, failures, terms, shared, numbers, texts } = segment;
  await sql`
    insert into call_segments (min_id, max_id, first_ms, last_ms, records, failures, size, tier, terms)
    values (${minId}, ${maxId}, ${firstMs}, ${lastMs}, ${records}, ${failures}, ${texts.length}, 2, ${terms})`.execute(
    db,
  );
  await sql`
    insert into call_segment_bodies (seq, shared, numbers, texts)
    values (last_insert_rowid(), ${shared}, ${numbers}, cast(${texts} as text))`.execute(db);
}
