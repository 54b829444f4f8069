import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { CallRecord } from '../../domain/call.ts';
import type { StoreKind } from '../schema.ts';
import { kindFields } from '../sqlite/call-segment.ts';
import { SegmentBuilder } from '../sqlite/segment-builder.ts';

/** On SQLite, turns segments whose figures are JSON, as the first ones were, into segments whose figures are numbers. */
export async function up(db: Kysely<unknown>, kind: StoreKind): Promise<void> {
  if (kind === 'postgres') return;
  const { rows: columns } = await sql<{ name: string }>`pragma table_info(call_segment_bodies)`.execute(db);
  if (!columns.some(({ name }) => name === 'heads')) return;
  const { schema } = db;
  await schema.alterTable('call_segment_bodies').renameTo('earlier_bodies').execute();
  await schema
    .createTable('call_segment_bodies')
    .addColumn('seq', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('shared', 'text', (c) => c.notNull())
    .addColumn('numbers', 'blob', (c) => c.notNull())
    .addColumn('texts', 'text', (c) => c.notNull())
    .execute();
  const builder = new SegmentBuilder();
  for (let after = -1; ;) {
    const { rows } = await sql<{ seq: number; heads: string; texts: string }>`
      select * from earlier_bodies where seq > ${after} order by seq limit 1`.execute(db);
    const [body] = rows;
    if (body === undefined) break;
    builder.clear();
    for (const record of earlierRecords(body.heads, body.texts)) builder.add(record);
    const { shared, numbers, texts } = builder.build();
    await sql`insert into call_segment_bodies values (${body.seq}, ${shared}, ${numbers}, cast(${texts} as text))`.execute(
      db,
    );
    await sql`update call_segments set size = ${texts.length} where seq = ${body.seq}`.execute(db);
    after = body.seq;
  }
  await schema.dropTable('earlier_bodies').execute();
}

/** Id, start, place of its kind, eight figures, lengths of four texts (-1 for null), then its steps. */
type Head = unknown[];
const firstStep = 14;

function* earlierRecords(heads: string, texts: string): Generator<CallRecord> {
  const [kinds, all] = JSON.parse(heads) as [(string | number | null)[][], Head[]];
  let at = 0;
  for (const head of all) {
    const [
      id,
      startedAtMs,
      kind,
      durationMs,
      upstreamMs,
      tries,
      cached,
      requestBytes,
      replyBytes,
      outputTokens,
    ] = head as [string, number, number, number, number | null, number, number, number, number, number];
    const [argumentsText, replyText, requestLine, message] = (head.slice(10, firstStep) as number[]).map(
      (length) => {
        if (length === -1) return null;
        at += length;
        return texts.slice(at - length, at);
      },
    ) as [string | null, string | null, string | null, string | null];
    yield {
      ...(Object.fromEntries(kindFields.map((field, index) => [field, kinds[kind]![index]])) as Pick<
        CallRecord,
        (typeof kindFields)[number]
      >),
      id,
      startedAtMs,
      durationMs,
      upstreamMs,
      tries,
      cached: cached === 1,
      requestBytes,
      replyBytes,
      outputTokens,
      argumentsText,
      replyText,
      requestLine,
      message,
      steps: (head.slice(firstStep) as [string, number, number, string?][]).map(
        ([name, startMs, stepMs, note]) => ({
          name,
          startMs,
          durationMs: stepMs,
          ...(note !== undefined && { note }),
        }),
      ),
    };
  }
}
