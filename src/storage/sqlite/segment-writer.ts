import { type CallRecord, withoutTexts } from '../../domain/call.ts';
import { firstLayout, newestLayout } from '../call-layout.ts';
import type { Segment, SegmentBody } from './call-segment.ts';
import type { RunStatement } from './database.ts';
import { readSegment } from './read-segment.ts';
import { maxRecords, maxTextBytes, SegmentBuilder } from './segment-builder.ts';

// Calls that arrive one by one make small segments. Those of one tier are merged when there are many, so that a record is
// rewritten at most twice, and records of a quiet day end up together.
const smallRecords = 16;
const largeRecords = 256;
/** How many small segments are worth merging. */
export const mergeFrom = 16;
const mergeAtMost = 64;
// Each takes a few milliseconds to read and write.
const segmentsPerDrop = 8;

// How large a segment is: small, middle, or so large that it is not merged any more. Versions that knew no layouts merge
// what is 0 or 1 and would leave out what they cannot read, so one of a later layout has numbers that they pass by.
const tiers = [0, 1] as const;
const large = 2;
const laterTiersFrom = 10;

interface SegmentToMerge {
  readonly seq: number;
  readonly records: number;
  readonly size: number;
}

/**
 * Writes, merges and deletes segments of call records. What has a layout that this version does not know is left alone.
 * Everything it does belongs to the write whose statements `run` runs.
 */
export function createSegmentWriter(run: RunStatement) {
  const insertSegment =
    'insert into call_segments (min_id, max_id, first_ms, last_ms, records, failures, size, tier, terms, layout) ' +
    'values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (min_id, max_id) do nothing';
  const insertBody =
    'insert into call_segment_bodies (seq, shared, numbers, texts, more) ' +
    'values (last_insert_rowid(), ?, ?, cast(? as text), ?)';

  /** Writes a segment, unless the same was written before. */
  function insert(segment: Segment): 'there already' | 'small' | 'large' {
    const { minId, maxId, firstMs, lastMs, records, failures, terms, shared, numbers, texts, more, layout } =
      segment;
    const tier = tierOf(segment);
    const size = texts.length;
    const columns = [minId, maxId, firstMs, lastMs, records, failures, size, tier, terms, layout];
    if (run(insertSegment, columns).changes === 0) return 'there already';
    run(insertBody, [shared, numbers, texts, more]);
    return tier % laterTiersFrom === 0 ? 'small' : 'large';
  }

  function remove(seq: number): void {
    run('delete from call_segments where seq = ?', [seq]);
    run('delete from call_segment_bodies where seq = ?', [seq]);
  }

  const rows = <T>(text: string, values: readonly (number | string)[]) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns that the statement names, of a table that is ours
    run(text, values).rows as T[];

  const oldestWhere = (column: 'first_ms' | 'last_ms', beforeMs: number, besides: readonly number[]) =>
    rows<{ seq: number; last_ms: number; records: number }>(
      `select seq, last_ms, records from call_segments where ${column} < ? and layout <= ? ` +
        'and seq not in (select value from json_each(?)) order by last_ms limit 1',
      [beforeMs, newestLayout, JSON.stringify(besides)],
    )[0];

  /** Null when the segment is damaged. */
  function recordsOf(seq: number): CallRecord[] | null {
    const [body] = rows<SegmentBody>(
      'select shared, numbers, texts, more from call_segment_bodies where seq = ?',
      [seq],
    );
    try {
      return body === undefined ? null : readSegment(body).map((call) => call.record());
    } catch {
      return null;
    }
  }

  /** The oldest segments of a tier, of all layouts that this version knows. */
  const toMerge = (tier: number) =>
    rows<SegmentToMerge>(
      'select seq, records, size, last_ms from call_segments where tier = ? and tier < 2 and layout <= ? union all ' +
        'select seq, records, size, last_ms from call_segments where tier = ? and tier >= 10 and layout <= ? ' +
        'order by last_ms limit ?',
      [tier, newestLayout, tier + laterTiersFrom, newestLayout, mergeAtMost],
    );

  return {
    insert,

    /** Merges one run of small segments. Returns whether there may be more to merge. */
    mergeSome(): boolean {
      for (const tier of tiers) {
        const small = toMerge(tier);
        if (small.length < mergeFrom) continue;
        let records = 0;
        let size = 0;
        const merging = small.filter((one) => {
          records += one.records;
          size += one.size;
          return records <= maxRecords && size <= maxTextBytes;
        });
        if (merging.length < 2) continue;
        const merged: CallRecord[] = [];
        for (const { seq } of merging) {
          const read = recordsOf(seq);
          if (read === null) {
            // It stays as it is, and out of the way of others.
            run('update call_segments set tier = ? where seq = ?', [large, seq]);
            continue;
          }
          merged.push(...read);
          remove(seq);
        }
        if (merged.length > 0) insert(segmentOf(merged));
        return true;
      }
      return false;
    },

    /** Deletes records that started before a time, the oldest first, at most `limit`; returns how many. */
    purge(beforeMs: number, limit: number): number {
      let purged = 0;
      const damaged: number[] = [];
      while (purged < limit) {
        // Whole segments first; then those that reach across the time.
        const oldest =
          oldestWhere('last_ms', beforeMs, damaged) ?? oldestWhere('first_ms', beforeMs, damaged);
        if (!oldest) break;
        const { seq } = oldest;
        if (oldest.last_ms < beforeMs && oldest.records <= limit - purged) {
          remove(seq);
          purged += oldest.records;
          continue;
        }
        const records = recordsOf(seq)?.sort((a, b) => a.startedAtMs - b.startedAtMs);
        if (records === undefined) {
          // What cannot be taken apart goes when all of it is old enough.
          damaged.push(seq);
          continue;
        }
        const old = records.filter((record) => record.startedAtMs < beforeMs).slice(0, limit - purged);
        const kept = records.slice(old.length);
        remove(seq);
        if (kept.length > 0) insert(segmentOf(kept));
        purged += old.length;
      }
      return purged;
    },

    /**
     * Removes the contents of records from before a time, from a few segments that end at `fromMs` or later; returns
     * where the next ones begin, null if there are none.
     */
    dropContents(fromMs: number, beforeMs: number): number | null {
      const some = rows<{ seq: number; last_ms: number }>(
        'select seq, last_ms from call_segments where last_ms >= ? and first_ms < ? and layout <= ? ' +
          'order by last_ms, seq limit ?',
        [fromMs, beforeMs, newestLayout, segmentsPerDrop],
      );
      const last = some.at(-1);
      if (last === undefined) return null;
      // What ends in the same moment belongs to the same step.
      const sameTime = rows<{ seq: number }>(
        'select seq from call_segments where last_ms = ? and seq > ? and first_ms < ? and layout <= ?',
        [last.last_ms, last.seq, beforeMs, newestLayout],
      );
      for (const { seq } of [...some, ...sameTime]) dropContentsOf(seq, beforeMs);
      return some.length < segmentsPerDrop ? null : last.last_ms + 1;
    },
  };

  function dropContentsOf(seq: number, beforeMs: number): void {
    const records = recordsOf(seq);
    if (records === null) return;
    const dropped = records.map((record) => (record.startedAtMs < beforeMs ? withoutTexts(record) : record));
    if (dropped.every((record, at) => record === records[at])) return;
    remove(seq);
    insert(segmentOf(dropped));
  }
}

function segmentOf(records: readonly CallRecord[]): Segment {
  const builder = new SegmentBuilder();
  for (const record of records) builder.add(record);
  return builder.build();
}

function tierOf({ records, texts, layout }: Segment): number {
  if (records >= largeRecords || texts.length >= maxTextBytes / 2) return large;
  const tier = records >= smallRecords ? 1 : 0;
  return layout === firstLayout ? tier : tier + laterTiersFrom;
}
