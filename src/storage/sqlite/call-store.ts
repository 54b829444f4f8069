import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CallRecord, outcomesIn } from '../../domain/call.ts';
import { keysOf } from '../../lib/json/plain-object.ts';
import { beforeAnyId, type CallPosition, makeCursor, parseCursor, maxCounted } from '../call-cursor.ts';
import { firstLayout, laterFieldNames, laterFields, newestLayout } from '../call-layout.ts';
import { storable } from '../call-rows.ts';
import type { Reader } from '../database.ts';
import { containsText, matchesKind, matchesLater, matchesTime, storableFilter } from '../matches-filter.ts';
import type { CallBatch, CallFilter, CallStore } from '../ports.ts';
import { countLimits, pageLimits, Reading, type ReadLimits } from '../read-limits.ts';
import type { Tables } from '../schema.ts';
import { type SegmentBody, termCount, type TermField, termText } from './call-segment.ts';
import type { OpenedDatabase } from './database.ts';
import { type FoundCall, readSegment } from './read-segment.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { createSegmentGroups, segmentsPerGroup } from './segment-groups.ts';
import { createSegmentWriter, mergeFrom } from './segment-writer.ts';

/**
 * Keeps call records in segments of a few hundred: a row per record, with its indexes, would cost more than the rest of
 * a call. What a segment holds is listed next to it, so that a search opens few. SQLite runs on the thread that serves
 * calls, so all work is done in steps of a few milliseconds. A search sees one snapshot of the store: segments that are
 * merged or purged in the meantime, here or by another process, stay visible to it.
 */
export function createCallStore(
  { quick, search, giveBackSome }: Pick<OpenedDatabase, 'quick' | 'search' | 'giveBackSome'>,
  // Only tests pass others.
  limits: { readonly page: ReadLimits; readonly count: ReadLimits } = {
    page: pageLimits.sqlite,
    count: countLimits.sqlite,
  },
): CallStore {
  let smallSinceMerge = 0;
  let sinceSummedUp = 0;
  // What was written leaves its memory to what comes next.
  const spare: SegmentBuilder[] = [];
  /** Segments that could not be read, with how many records are in each. */
  const damaged = new Map<number, number>();

  async function mergeWhenDue(): Promise<void> {
    if (smallSinceMerge < mergeFrom) return;
    smallSinceMerge = 0;
    try {
      for (let more = true; more;) {
        more = await quick.write(async (_trx, run) => createSegmentWriter(run).mergeSome());
        await nextTurn();
      }
    } catch {
      // Small segments are only slower to search; the next time tries again.
    }
  }

  /** Sums up segments that are no longer merged, in groups. */
  async function sumUpWhenDue(): Promise<void> {
    if (sinceSummedUp < segmentsPerGroup) return;
    sinceSummedUp = 0;
    try {
      while (await sumUpOne()) await nextTurn();
    } catch {
      // Without groups a search reads more; the next time tries again.
    }
  }

  const sumUpOne = () => quick.write(async (_trx, run) => createSegmentGroups(run).sumUpSome());

  /**
   * What a filter's time touches, newest first: segments, each with whether it may contain what is searched for, and
   * groups that contain none of it. `countWhole` may take a whole group of which everything is known.
   */
  async function* segments(
    at: Reader,
    filter: CallFilter,
    reading: Reading,
    countWhole?: ((group: Counted) => boolean) | null,
  ): AsyncGenerator<SegmentRow> {
    // Groups know nothing of the later fields, whose few segments have an index.
    if (oldestLayoutFor(filter) > firstLayout) {
      yield* segmentsBetween(at, filter, reading, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      return;
    }
    const newest = await at
      .selectFrom('call_segment_groups')
      .select((eb) => eb.fn.max<number | null>('to_ms').as('to_ms'))
      .executeTakeFirstOrThrow();
    const newestMs = newest.to_ms ?? Number.MIN_SAFE_INTEGER;
    yield* segmentsBetween(at, filter, reading, newestMs, Number.MAX_SAFE_INTEGER);
    for await (const group of groupsOf(at, filter, countWhole != null)) {
      reading.rows++;
      const { terms, to_ms: lastMs, after_ms: afterMs } = group;
      const isOfNoUse =
        group.is_usable === 1 &&
        (terms === null || countWhole?.({ ...group, terms, last_ms: lastMs }) === true);
      if (isOfNoUse) yield { ...group, last_ms: lastMs, seq: -1, size: 0, terms: null };
      else yield* segmentsBetween(at, filter, reading, afterMs ?? Number.MIN_SAFE_INTEGER, lastMs);
    }
  }

  /** The groups that a filter's time touches, newest first. */
  async function* groupsOf(at: Reader, filter: CallFilter, isCounting: boolean): AsyncGenerator<GroupRow> {
    const { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER } = filter;
    const terms = isCounting ? sql`terms` : sql`''`;
    let beforeMs = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const groups = sql<GroupRow>`(
        select to_ms, first_ms, records, failures,
          (select max(to_ms) from call_segment_groups as older where older.to_ms < g.to_ms) as after_ms,
          stale = 0 and layout = ${newestLayout} and terms is not null as is_usable,
          case when ${possibleIn(filter)} then ${terms} end as terms
        from call_segment_groups as g where to_ms in (
          select to_ms from call_segment_groups indexed by call_segment_groups_span
          where to_ms >= ${fromMs} and to_ms < ${beforeMs} and (first_ms < ${toMs} or stale = 1)
          order by to_ms desc limit ${groupsPerStep})
        order by to_ms desc)`;
      const rows = await at.selectFrom(groups.as('groups')).selectAll().execute();
      yield* rows;
      if (rows.length < groupsPerStep) return;
      beforeMs = rows.at(-1)!.to_ms;
      await nextTurn();
    }
  }

  /** The segments that end after `afterMs` and at `untilMs` at the latest, newest first. */
  async function* segmentsBetween(
    at: Reader,
    filter: CallFilter,
    reading: Reading,
    afterMs: number,
    untilMs: number,
  ): AsyncGenerator<SegmentRow> {
    const { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER } = filter;
    const possible = possibleIn(filter);
    const oldestLayout = oldestLayoutFor(filter);
    let [lastMs, seq] = [untilMs, Number.MAX_SAFE_INTEGER];
    for (;;) {
      const rows = await at
        .selectFrom('call_segments')
        .select(['seq', 'first_ms', 'last_ms', 'records', 'failures', 'size'])
        .select(sql<string | null>`case when ${possible} then terms end`.as('terms'))
        .where('last_ms', '>=', fromMs)
        .where('last_ms', '>', afterMs)
        .where('first_ms', '<', toMs)
        .where('layout', '<=', newestLayout)
        // Few segments hold anything of a later layout, and those have an index.
        .$if(oldestLayout > firstLayout, (query) =>
          query.where('layout', '>', sql.lit(firstLayout)).where('layout', '>=', oldestLayout),
        )
        .where((eb) => eb(eb.refTuple('last_ms', 'seq'), '<', eb.tuple(lastMs, seq)))
        .orderBy('last_ms', 'desc')
        .orderBy('seq', 'desc')
        .limit(segmentsPerStep)
        .execute();
      for (const row of rows) {
        reading.rows++;
        yield row;
      }
      if (rows.length < segmentsPerStep) return;
      ({ last_ms: lastMs, seq } = rows.at(-1)!);
      await nextTurn();
    }
  }

  /** The calls of a segment: none when it is damaged, so that the others can still be shown. */
  async function callsOf(
    at: Reader,
    { seq, records }: Pick<SegmentRow, 'seq' | 'records'>,
    mayHold: (body: SegmentBody) => boolean = () => true,
  ): Promise<FoundCall[]> {
    const body = await at
      .selectFrom('call_segment_bodies')
      .select(['shared', 'numbers', 'texts', 'more'])
      .where('seq', '=', seq)
      .executeTakeFirst();
    try {
      if (body === undefined) throw new Error('A segment has no body.');
      return mayHold(body) ? readSegment(body) : [];
    } catch {
      damaged.set(seq, records);
      return [];
    }
  }

  /** The calls of a segment that a filter fits. */
  async function matching(at: Reader, segment: SegmentRow, filter: CallFilter): Promise<FoundCall[]> {
    const text = filter.text?.toLowerCase() ?? '';
    // Most segments don't contain the text, and this is known without parsing them. The lower case of a sigma depends on
    // its neighbors, which in a segment can belong to another text.
    const mayHoldText = ({ texts }: SegmentBody) =>
      text === '' ||
      /[σς]/.test(text) ||
      texts.toLowerCase().includes(text) ||
      segment.terms!.toLowerCase().includes(partOfJson(text));
    const fits = oncePerKind(filter);
    return (await callsOf(at, segment, mayHoldText)).filter(
      (call) =>
        fits(call) &&
        matchesLater(call.later, filter) &&
        matchesTime(call.startedAtMs, filter) &&
        (text === '' || containsText(call.record(), text)),
    );
  }

  async function findPage(at: Reader, filter: CallFilter, limit: number, after: CallPosition | null) {
    const reading = new Reading(limits.page);
    let page: CallRecord[] = [];
    const isFull = (lastMs: number) => page.length > limit && page[limit]!.startedAtMs > lastMs;
    let stoppedAtMs: number | null = null;
    for await (const segment of segments(at, filter, reading)) {
      if (isFull(segment.last_ms)) break;
      const goesOnAtMs = segment.last_ms + 1;
      if (reading.isOver && goesOnAtMs < (filter.toMs ?? Number.MAX_SAFE_INTEGER)) {
        stoppedAtMs = goesOnAtMs;
        break;
      }
      if (segment.terms === null) continue;
      reading.bytes += bytesOf(segment);
      const found = (await matching(at, segment, filter))
        .map((call) => ({ startedAtMs: call.startedAtMs, id: call.id, call }))
        .filter((one) => after === null || newestFirst(one, after) > 0)
        .sort(newestFirst)
        .slice(0, limit + 1)
        .map(({ call }) => withOwnTexts(call.record()));
      // One more than requested shows whether there is a next page.
      page = [...page, ...found].sort(newestFirst).slice(0, limit + 1);
      await nextTurn();
    }
    const settled = stoppedAtMs === null ? page : page.filter((call) => call.startedAtMs >= stoppedAtMs);
    const calls = settled.slice(0, limit);
    return {
      calls,
      nextCursor:
        settled.length > limit
          ? makeCursor(calls.at(-1)!)
          : stoppedAtMs === null
            ? null
            : makeCursor({ startedAtMs: stoppedAtMs, id: beforeAnyId }),
      searchedBackToMs: settled.length > limit ? null : stoppedAtMs,
    };
  }

  async function countMatching(at: Reader, filter: CallFilter, most: number) {
    const reading = new Reading(limits.count);
    const known = countedBeforehand(filter);
    let count = 0;
    const isWhole = ({ first_ms: firstMs, last_ms: lastMs }: Pick<Counted, 'first_ms' | 'last_ms'>) =>
      matchesTime(firstMs, filter) && matchesTime(lastMs, filter);
    const countWhole = (group: Counted): boolean => {
      if (known === null || !isWhole(group)) return false;
      count += known(group);
      return true;
    };
    for await (const segment of segments(at, filter, reading, known && countWhole)) {
      if (count > most) return { count: most, exact: false };
      if (segment.terms === null) continue;
      if (reading.isOver) return { count, exact: false };
      if (known !== null && isWhole(segment)) count += known({ ...segment, terms: segment.terms });
      else {
        reading.bytes += bytesOf(segment);
        count += (await matching(at, segment, filter)).length;
        await nextTurn();
      }
    }
    return count > most ? { count: most, exact: false } : { count, exact: true };
  }

  return {
    newBatch: () => new SegmentBatch(spare),

    async write(batch) {
      if (!(batch instanceof SegmentBatch)) throw new TypeError('Only what `newBatch` made can be written.');
      if (batch.size === 0) return;
      await quick.write(async (_trx, run) => {
        const writer = createSegmentWriter(run);
        for (const [index, builder] of batch.builders.entries()) {
          if (index > 0) await nextTurn();
          const written = writer.insert(builder.build());
          if (written === 'small') smallSinceMerge++;
          sinceSummedUp++;
        }
      });
      batch.clear();
      await mergeWhenDue();
      await sumUpWhenDue();
    },

    get: (id) =>
      search(async (at) => {
        const wanted = storable(id);
        const around = at
          .selectFrom('call_segments')
          .select(['seq', 'records'])
          .where('min_id', '<=', wanted)
          .where('max_id', '>=', wanted)
          .where('layout', '<=', newestLayout)
          .orderBy('min_id', 'desc');
        // IDs sort by time, so it is almost always in the nearest; only an ID that no call has needs all of them.
        for (const some of [around.limit(nearestSegments), around.offset(nearestSegments).limit(-1)])
          for (const segment of await some.execute())
            for (const call of await callsOf(at, segment))
              if (call.id === wanted) return withOwnTexts(call.record());
        return null;
      }),

    find(filter, limit, cursor) {
      return search(async (at) => {
        const after = cursor === undefined ? null : parseCursor(cursor);
        const toMs = Math.min(filter.toMs ?? Infinity, after === null ? Infinity : after.startedAtMs + 1);
        return findPage(at, { ...storableFilter(filter), ...(toMs !== Infinity && { toMs }) }, limit, after);
      });
    },

    count: (filter, most = maxCounted) =>
      search(async (at) => countMatching(at, storableFilter(filter), most)),

    async purge(beforeMs, limit) {
      return quick.write(async (_trx, run) => createSegmentWriter(run).purge(beforeMs, limit));
    },

    async dropContents(fromMs, beforeMs) {
      return quick.write(async (_trx, run) => createSegmentWriter(run).dropContents(fromMs, beforeMs));
    },

    async maintain() {
      return (await sumUpOne()) || giveBackSome();
    },

    unreadable: () =>
      search(async (at) => {
        const newer = await at
          .selectFrom('call_segments')
          .select((eb) => eb.fn.sum<number | null>('records').as('records'))
          .where('layout', '>', sql.lit(firstLayout))
          .where('layout', '>', newestLayout)
          .executeTakeFirstOrThrow();
        // Segments purged since then no longer count as damaged.
        for (const seq of damaged.keys()) {
          const there = await at.selectFrom('call_segments').select('seq').where('seq', '=', seq).execute();
          if (there.length === 0) damaged.delete(seq);
        }
        return {
          newer: newer.records ?? 0,
          damaged: [...damaged.values()].reduce((sum, records) => sum + records, 0),
        };
      }),
  };
}

/** Records in the segments that they will be. */
class SegmentBatch implements CallBatch {
  readonly #spare: SegmentBuilder[];
  #builders: SegmentBuilder[] = [];
  #size = 0;

  constructor(spare: SegmentBuilder[]) {
    this.#spare = spare;
  }

  get size(): number {
    return this.#size;
  }

  get builders(): readonly SegmentBuilder[] {
    return this.#builders;
  }

  add(record: CallRecord): void {
    let builder = this.#builders.at(-1);
    if (builder === undefined || builder.isFullFor(record))
      this.#builders.push((builder = this.#spare.pop() ?? new SegmentBuilder()));
    builder.add(record);
    this.#size++;
  }

  records(): readonly CallRecord[] {
    return this.#builders.flatMap((builder) => {
      const { shared, numbers, texts, more } = builder.build();
      const body = { shared, numbers: numbers.slice().buffer, texts: Buffer.from(texts).toString(), more };
      return readSegment(body).map((call) => call.record());
    });
  }

  clear(): void {
    for (const builder of this.#builders) {
      if (this.#spare.length === maxSpare) break;
      builder.clear();
      this.#spare.push(builder);
    }
    this.#builders = [];
    this.#size = 0;
  }
}

// A batch that is filled while another is written, and one that grows beyond a segment.
const maxSpare = 3;

// What a call takes besides its texts.
const bytesPerRecord = 200;

function bytesOf({ size, records }: SegmentRow): number {
  return size + records * bytesPerRecord;
}

/** What is known of the calls of a segment or group without reading them. */
type Counted = Pick<Tables['call_segments'], 'first_ms' | 'last_ms' | 'records' | 'failures' | 'terms'>;

type SegmentRow = Omit<Counted, 'terms'> &
  Pick<Tables['call_segments'], 'seq' | 'size'> & {
    /** Null when the segment holds nothing that is looked for. */
    readonly terms: string | null;
  };

type GroupRow = Pick<
  Tables['call_segment_groups'],
  'to_ms' | 'first_ms' | 'records' | 'failures' | 'terms'
> & {
  /** Where the next older group ends; null when there is none. */
  readonly after_ms: number | null;
  /** 0 when the group no longer fits its segments, or has too many different values to list. */
  readonly is_usable: number;
};

/** How many segments a call by ID is looked for in first. */
const nearestSegments = 4;

// Their terms are read to the end when nothing is found: a megabyte or so.
const segmentsPerStep = segmentsPerGroup;
const groupsPerStep = 50;

/** An order, for sorting: the later start first, and of one moment the greater id. */
function newestFirst(a: CallPosition, b: CallPosition): number {
  return b.startedAtMs - a.startedAtMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** A record that does not keep its whole segment in memory, as parts of a string do. */
function withOwnTexts(record: CallRecord): CallRecord {
  const own = (text: string | null) => text && Buffer.from(text).toString();
  return {
    ...record,
    argumentsText: own(record.argumentsText),
    replyText: own(record.replyText),
    requestLine: own(record.requestLine),
    message: own(record.message),
  };
}

/** The conditions of a filter that terms cover. */
function wantedTerms(filter: CallFilter): [TermField, string | number][] {
  const { fromMs: _from, toMs: _to, text: _text, ...terms } = filter;
  return keysOf(terms).flatMap((field): [TermField, string | number][] => {
    const value = terms[field];
    const isSeveral = field === 'outcome' && (value === 'error' || outcomesIn(filter.outcome) !== null);
    return value === undefined || isSeveral ? [] : [[field, value]];
  });
}

/** The oldest layout in which there can be anything that a filter looks for. */
function oldestLayoutFor(filter: CallFilter): number {
  const asked = new Set(wantedTerms(filter).map(([field]) => field as string));
  const later = laterFieldNames.filter((name) => asked.has(name));
  return Math.max(firstLayout, ...later.map((name) => laterFields[name].since));
}

function possibleIn(filter: CallFilter) {
  const terms = wantedTerms(filter).map(([, value]) => sql`instr(terms, ${termText(value)}) > 0`);
  const several = outcomesIn(filter.outcome);
  const failed = filter.outcome === 'error' || several !== null ? [sql`failures > 0`] : [];
  const any = (several ?? []).map((code) => sql`instr(terms, ${termText(code)}) > 0`);
  const oneOf = any.length === 0 ? [] : [sql`(${sql.join(any, sql` or `)})`];
  return sql.join([sql`1`, ...failed, ...oneOf, ...terms], sql` and `);
}

/** Counts a segment's matching calls without opening it; null when the filter has more than one condition. */
function countedBeforehand(filter: CallFilter): ((segment: Counted) => number) | null {
  if (filter.text) return null;
  const terms = wantedTerms(filter);
  if (filter.outcome === 'error') return terms.length === 0 ? (segment) => segment.failures : null;
  const several = outcomesIn(filter.outcome);
  if (several !== null) {
    if (terms.length > 0) return null;
    return ({ terms: counts }) => several.reduce((sum, code) => sum + termCount(counts, 'outcome', code), 0);
  }
  const [term, ...others] = terms;
  if (term === undefined) return (segment) => segment.records;
  const [field, value] = term;
  return others.length === 0 ? (segment) => termCount(segment.terms, field, value) : null;
}

/** A text as it appears within a JSON string. */
function partOfJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whether a call's kind fits, found out once for each kind of a segment. */
function oncePerKind(filter: CallFilter): (call: FoundCall) => boolean {
  const known = new Map<FoundCall['kind'], boolean>();
  return ({ kind }) => {
    let fits = known.get(kind);
    if (fits === undefined) known.set(kind, (fits = matchesKind(kind, filter)));
    return fits;
  };
}
