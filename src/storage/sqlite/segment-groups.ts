import { setImmediate as nextTurn } from 'node:timers/promises';
import { objectOr } from '../../lib/json/plain-object.ts';
import { newestLayout } from '../call-layout.ts';
import { termFields } from './call-segment.ts';
import type { RunStatement } from './database.ts';
import { TermCounts } from './segment-builder.ts';

/** How many segments one group sums up. */
export const segmentsPerGroup = 32;
// A group that has fewer left joins the next newer one.
const leastPerGroup = segmentsPerGroup / 2;
const segmentsPerTurn = 8;
// Beyond this, reading what a group contains costs more than reading its segments.
const maxTermsLength = 256 * 1024;

interface SegmentSummary {
  readonly first_ms: number;
  readonly records: number;
  readonly failures: number;
  readonly terms: string;
}

/**
 * Groups sum up what the segments of a stretch of time contain. The group at `to_ms` covers every segment that ends
 * after the group before it and no later than that; segments newer than all groups belong to none. Triggers mark a group
 * as stale when one of its segments changes, and a stale group is not used. All of it can be deleted at any time.
 */
export function createSegmentGroups(run: RunStatement) {
  const rows = <T>(text: string, values: readonly number[] = []) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns that the statement names, of a table that is ours
    run(text, values).rows as T[];

  /** The end of a group that a new one or a changed one should have; null when nothing is due. */
  function nextDue(): number | null {
    const [stale] = rows<{ to_ms: number }>(
      'select to_ms from call_segment_groups where stale = 1 order by to_ms limit 1',
    );
    if (stale !== undefined) return stale.to_ms;
    const [newest] = rows<{ to_ms: number | null }>('select max(to_ms) as to_ms from call_segment_groups');
    // Segments as old as these are hardly merged any more.
    const ends = rows<{ last_ms: number }>(
      'select last_ms from call_segments where last_ms > ? order by last_ms limit ?',
      [newest?.to_ms ?? Number.MIN_SAFE_INTEGER, 2 * segmentsPerGroup],
    );
    return ends.length < 2 * segmentsPerGroup ? null : ends[segmentsPerGroup - 1]!.last_ms;
  }

  return {
    /** Sums up one group. Returns whether there may be more to do. */
    async sumUpSome(): Promise<boolean> {
      const toMs = nextDue();
      if (toMs === null) return false;
      const [before] = rows<{ to_ms: number | null }>(
        'select max(to_ms) as to_ms from call_segment_groups where to_ms < ?',
        [toMs],
      );
      const sums = new GroupSums();
      const seqs = rows<{ seq: number }>(
        'select seq from call_segments where last_ms > ? and last_ms <= ? and layout <= ?',
        [before?.to_ms ?? Number.MIN_SAFE_INTEGER, toMs, newestLayout],
      );
      for (const [index, { seq }] of seqs.entries()) {
        if (index % segmentsPerTurn === 0) await nextTurn();
        const [segment] = rows<SegmentSummary>(
          'select first_ms, records, failures, terms from call_segments where seq = ?',
          [seq],
        );
        sums.add(segment!);
      }
      if (seqs.length < leastPerGroup) {
        run('delete from call_segment_groups where to_ms = ?', [toMs]);
        run(
          'update call_segment_groups set stale = 1 where to_ms = (select min(to_ms) from call_segment_groups where to_ms > ?)',
          [toMs],
        );
        return true;
      }
      run(
        'insert or replace into call_segment_groups (to_ms, first_ms, records, failures, layout, stale, terms) values (?, ?, ?, ?, ?, 0, ?)',
        [toMs, sums.firstMs, sums.records, sums.failures, newestLayout, sums.text()],
      );
      return true;
    },
  };
}

class GroupSums {
  firstMs = Number.MAX_SAFE_INTEGER;
  records = 0;
  failures = 0;
  readonly #counts = termFields.map((field) => ({ field, counts: new TermCounts() }));

  add({ first_ms: firstMs, records, failures, terms }: SegmentSummary): void {
    this.firstMs = Math.min(this.firstMs, firstMs);
    this.records += records;
    this.failures += failures;
    const said = objectOr(JSON.parse(terms));
    for (const { field, counts } of this.#counts)
      for (const [value, calls] of Object.entries(objectOr(said[field]))) counts.add(value, Number(calls));
  }

  /** Null when it would be too long to be worth reading. */
  text(): string | null {
    const text = `{${this.#counts.map(({ field, counts }) => counts.text(field)).join()}}`;
    return text.length > maxTermsLength ? null : text;
  }
}
