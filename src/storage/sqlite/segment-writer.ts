import type { CallRecord } from '../../domain/call.ts';
import type { Segment } from './call-segment.ts';
import type { SqliteConnection } from './driver.ts';
import type { Tables } from '../schema.ts';
import { readSegment } from './read-segment.ts';
import { mostRecords, mostTextBytes, SegmentBuilder } from './segment-builder.ts';

// Calls that come one by one make small segments. Those of one tier are merged when there are many, so that a record is
// written anew twice at most, and two records of a quiet day end up side by side.
const smallRecords = 16;
const largeRecords = 256;
const mergeFrom = 16;
const mergeAtMost = 64;

/** Writes, merges and deletes segments of call records. Everything it does belongs into a transaction of the connection. */
export function createSegmentWriter(connection: SqliteConnection) {
  const insertSegment = connection.prepareStatement(
    'insert into call_segments (min_id, max_id, first_ms, last_ms, records, failures, size, tier, terms) ' +
      'values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (min_id, max_id) do nothing',
  );
  const insertBody = connection.prepareStatement(
    'insert into call_segment_bodies (seq, shared, numbers, texts) values (last_insert_rowid(), ?, ?, cast(? as text))',
  );

  /** Writes a segment, unless the same was written before. */
  function insert(segment: Segment): 'there already' | 'small' | 'large' {
    const { minId, maxId, firstMs, lastMs, records, failures, terms, shared, numbers, texts } = segment;
    const tier = tierOf(records, texts.length);
    const size = texts.length;
    if (insertSegment([minId, maxId, firstMs, lastMs, records, failures, size, tier, terms]) === 0)
      return 'there already';
    insertBody([shared, numbers, texts]);
    return tier === 0 ? 'small' : 'large';
  }

  function remove(seq: number): void {
    connection.run('delete from call_segments where seq = ?', [seq]);
    connection.run('delete from call_segment_bodies where seq = ?', [seq]);
  }

  const rows = <T>(text: string, values: readonly (number | string)[]) =>
    connection.run(text, values).rows as T[];

  const oldestWhere = (column: 'first_ms' | 'last_ms', beforeMs: number) =>
    rows<{ seq: number; last_ms: number; records: number }>(
      `select seq, last_ms, records from call_segments where ${column} < ? order by last_ms limit 1`,
      [beforeMs],
    )[0];

  function recordsOf(seq: number): CallRecord[] {
    const [body] = rows<Tables['call_segment_bodies']>(
      'select shared, numbers, texts from call_segment_bodies where seq = ?',
      [seq],
    );
    if (body === undefined) return [];
    return Array.from(readSegment(body.shared, body.numbers), (call) => call.record(body.texts));
  }

  return {
    mergeFrom,

    insert,

    /** Merges one run of small segments. Tells whether there may be more to merge. */
    mergeSome(): boolean {
      for (const tier of [0, 1]) {
        const small = rows<{ seq: number; records: number; size: number }>(
          'select seq, records, size from call_segments where tier = ? and tier < 2 order by last_ms limit ?',
          [tier, mergeAtMost],
        );
        if (small.length < mergeFrom) continue;
        let records = 0;
        let size = 0;
        const run = small.filter((one) => {
          records += one.records;
          size += one.size;
          return records <= mostRecords && size <= mostTextBytes;
        });
        if (run.length < 2) continue;
        const merged = run.flatMap(({ seq }) => recordsOf(seq));
        for (const { seq } of run) remove(seq);
        insert(segmentOf(merged));
        return true;
      }
      return false;
    },

    /** Deletes records that started before a time, the oldest first, at most `limit`; returns how many. */
    purge(beforeMs: number, limit: number): number {
      let purged = 0;
      while (purged < limit) {
        // Whole segments first; then those that reach across the time.
        const oldest = oldestWhere('last_ms', beforeMs) ?? oldestWhere('first_ms', beforeMs);
        if (!oldest) break;
        const { seq } = oldest;
        if (oldest.last_ms < beforeMs && oldest.records <= limit - purged) {
          remove(seq);
          purged += oldest.records;
          continue;
        }
        const records = recordsOf(seq).sort((a, b) => a.startedAtMs - b.startedAtMs);
        const old = records.filter((record) => record.startedAtMs < beforeMs).slice(0, limit - purged);
        const kept = records.slice(old.length);
        remove(seq);
        if (kept.length > 0) insert(segmentOf(kept));
        purged += old.length;
      }
      return purged;
    },
  };
}

function segmentOf(records: readonly CallRecord[]): Segment {
  const builder = new SegmentBuilder();
  for (const record of records) builder.add(record);
  return builder.build();
}

function tierOf(records: number, size: number): 0 | 1 | 2 {
  if (records >= largeRecords || size >= mostTextBytes / 2) return 2;
  return records >= smallRecords ? 1 : 0;
}
