import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';

// The bounds of a histogram's buckets; the last takes everything longer.
const bucketCount = 34;
const bucketBoundsMs = Array.from({ length: bucketCount - 1 }, (_, i) => 2 ** (i / 2));

const widthsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Makes room for the steps and token estimates of calls, and for roll-ups, filled from the records that are there. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const schema = db.schema;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  const fraction = kind === 'postgres' ? 'double precision' : 'real';

  await schema
    .alterTable('call_records')
    .addColumn('output_tokens', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('call_records').addColumn('steps_text', 'text').execute();

  let table = schema
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
    .addColumn('duration_ms', fraction, (c) => c.notNull());
  for (let i = 0; i < bucketCount; i++) table = table.addColumn(`h${i}`, 'integer', (c) => c.notNull());
  // Read by stretches of time, so rows lie in that order.
  await table
    .addPrimaryKeyConstraint('call_rollups_pk', ['dimension', 'width', 'start_ms', 'name'])
    .$call((made) => (kind === 'sqlite' ? made.modifyEnd(sql`without rowid`) : made))
    .execute();

  const dimensions: readonly [string, RawBuilder<unknown>, RawBuilder<unknown>][] = [
    ['all', sql`''`, sql`''`],
    ['tool', sql`substr(tool_name, 1, 200)`, sql`substr(tool_name, 1, 200)`],
    ['server', sql`substr(server_slug, 1, 200)`, sql`substr(server_slug, 1, 200)`],
    ['caller', sql`substr(caller_id, 1, 200)`, sql`substr(max(caller_label), 1, 200)`],
    [
      'client',
      sql`substr(coalesce(client_name, ''), 1, 200)`,
      sql`coalesce(nullif(substr(client_name, 1, 200), ''), 'unknown')`,
    ],
    ['outcome', sql`outcome`, sql`outcome`],
  ];
  for (const [dimension, name, label] of dimensions) {
    for (const [width, widthMs] of Object.entries(widthsMs)) {
      const start = sql`started_at_ms - started_at_ms % ${sql.lit(widthMs)}`;
      const buckets = Array.from(
        { length: bucketCount },
        (_, i) => sql`sum(case when ${inBucket(i)} then 1 else 0 end)`,
      );
      await sql`
        insert into call_rollups
        select ${sql.lit(dimension)}, ${sql.lit(width)}, ${start}, ${name}, ${dimension === 'caller' ? label : sql`max(${label})`}, count(*),
          sum(case when outcome = 'ok' then 0 else 1 end), sum(request_bytes), sum(reply_bytes), sum(output_tokens),
          sum(duration_ms), ${sql.join(buckets)}
        from call_records group by 3, 4`.execute(db);
    }
  }
}

function inBucket(i: number): RawBuilder<unknown> {
  const low = i === 0 ? null : bucketBoundsMs[i - 1]!;
  const high = bucketBoundsMs[i];
  if (low === null) return sql`duration_ms <= ${sql.lit(high)}`;
  if (high === undefined) return sql`duration_ms > ${sql.lit(low)}`;
  return sql`duration_ms > ${sql.lit(low)} and duration_ms <= ${sql.lit(high)}`;
}
