import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { type FirstRecord, type FirstSegment, makeFirstSegment } from './first-segments.ts';

const recordsPerSegment = 400;

/** On SQLite, moves call records from rows of their own into segments. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
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
    const { rows } = await sql<CallRow>`
      select * from call_records where (started_at_ms, id) > (${after.started_at_ms}, ${after.id})
      order by started_at_ms, id limit ${recordsPerSegment}`.execute(db);
    if (rows.length === 0) break;
    await insert(db, makeFirstSegment(rows.map(readRow)));
    after = rows.at(-1)!;
  }
  await schema.dropTable('call_records').execute();
}

async function insert(db: Kysely<unknown>, segment: FirstSegment): Promise<void> {
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

/** A row of the table that call records had before. */
interface CallRow {
  readonly id: string;
  readonly tool_id: string | null;
  readonly tool_name: string;
  readonly api_slug: string | null;
  readonly server_slug: string;
  readonly surface: string;
  readonly caller_id: string;
  readonly caller_label: string;
  readonly client_name: string | null;
  readonly client_version: string | null;
  readonly started_at_ms: number;
  readonly duration_ms: number;
  readonly upstream_ms: number | null;
  readonly upstream_status: number | null;
  readonly outcome: string;
  readonly message: string | null;
  readonly tries: number;
  readonly cached: number;
  readonly request_bytes: number;
  readonly reply_bytes: number;
  readonly arguments_text: string | null;
  readonly reply_text: string | null;
  readonly request_line: string | null;
  readonly output_tokens: number;
  /** JSON: [name, start, duration, note] of each. */
  readonly steps_text: string | null;
}

function readRow(row: CallRow): FirstRecord {
  const steps =
    row.steps_text === null ? [] : (JSON.parse(row.steps_text) as [string, number, number, string?][]);
  return {
    id: row.id,
    kind: [
      row.tool_name,
      row.tool_id,
      row.api_slug,
      row.server_slug,
      row.caller_id,
      row.client_name,
      row.surface,
      row.outcome,
      row.upstream_status,
      row.caller_label,
      row.client_version,
    ],
    startedAtMs: row.started_at_ms,
    durationMs: row.duration_ms,
    upstreamMs: row.upstream_ms,
    tries: row.tries,
    cached: row.cached,
    requestBytes: row.request_bytes,
    replyBytes: row.reply_bytes,
    outputTokens: row.output_tokens,
    texts: [row.arguments_text, row.reply_text, row.request_line, row.message],
    steps,
  };
}
