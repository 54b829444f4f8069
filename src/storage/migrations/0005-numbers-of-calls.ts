import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { type FirstKind, type FirstRecord, type FirstTexts, makeFirstSegment } from './first-segments.ts';

/** On SQLite, turns segments whose figures are JSON, as the first ones were, into segments whose figures are numbers. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
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
  for (let after = -1; ;) {
    const { rows } = await sql<{ seq: number; heads: string; texts: string }>`
      select * from earlier_bodies where seq > ${after} order by seq limit 1`.execute(db);
    const [body] = rows;
    if (body === undefined) break;
    const { shared, numbers, texts } = makeFirstSegment([...earlierRecords(body.heads, body.texts)]);
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

function* earlierRecords(heads: string, texts: string): Generator<FirstRecord> {
  const [kinds, all] = JSON.parse(heads) as [FirstKind[], Head[]];
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
    const ownTexts = (head.slice(10, firstStep) as number[]).map((length) => {
      if (length === -1) return null;
      at += length;
      return texts.slice(at - length, at);
    });
    yield {
      id,
      kind: kinds[kind]!,
      startedAtMs,
      durationMs,
      upstreamMs,
      tries,
      cached,
      requestBytes,
      replyBytes,
      outputTokens,
      texts: ownTexts as unknown as FirstTexts,
      steps: head.slice(firstStep) as FirstRecord['steps'],
    };
  }
}
