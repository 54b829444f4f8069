import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type SqlBool,
  sql,
  CompiledQuery,
  type Transaction,
} from 'kysely';
import { beforeAnyId, makeCursor, parseCursor, maxCounted } from '../call-cursor.ts';
import { firstLayout, newestLayout } from '../call-layout.ts';
import { storable, toCallRecord, callColumns, toValues } from '../call-rows.ts';
import type { Database, Reader } from '../database.ts';
import { storableFilter } from '../matches-filter.ts';
import type { CallFilter, CallStore, CallBatch } from '../ports.ts';
import { outcomesIn, type CallRecord, withoutContents } from '../../domain/call.ts';
import type { CallRecordRow, Tables } from '../schema.ts';
import { countLimits, pageLimits, Reading } from '../read-limits.ts';
import { isRefusedData } from './errors.ts';
import { namesOf, rowsOf } from './add-rollups.ts';
import {
  createPartitions,
  type Partitions,
  type RecordTable,
  recordTables,
  type Window,
} from './call-partitions.ts';

const recordsPerDrop = 1_000;

/** Keeps call records, a row each in the partition of its day; `find` pages by start time and id, newest first. */
export function createCallStore(db: Database): CallStore {
  const partitions = createPartitions(db);
  async function* windowsOf(filter: CallFilter, reading: Reading): AsyncGenerator<Window> {
    for await (const stretch of partitions.stretches(filter)) {
      if (isSelective(filter)) yield stretch;
      else yield* timeWindows(db.reads, stretch, filter.text ? 'texts' : 'rows', reading);
    }
  }
  return {
    newBatch: () => new RecordBatch(),
    write: writeCalls(partitions.ensure),
    maintain: partitions.moveSome,

    async get(id) {
      const row = await db.reads
        .selectFrom('all_call_records')
        .selectAll()
        .where('id', '=', storable(id))
        .where('layout', '<=', newestLayout)
        .executeTakeFirst();
      return row ? toCallRecord(row) : null;
    },

    async find(asked, limit, cursor) {
      const filter = storableFilter(asked);
      const after = cursor === undefined ? null : parseCursor(cursor);
      const toMs = after === null ? filter.toMs : Math.min(filter.toMs ?? Infinity, after.startedAtMs + 1);
      const rows: CallRecordRow[] = [];
      const reading = new Reading(pageLimits.postgres);
      let stoppedAtMs: number | null = null;
      for await (const window of windowsOf({ ...filter, ...(toMs !== undefined && { toMs }) }, reading)) {
        const found = await db.reads
          .selectFrom('all_call_records')
          .selectAll()
          .where((eb) => eb.and(conditions(eb, { ...filter, ...window })))
          .$if(after !== null, (query) =>
            query.where((eb) =>
              eb(eb.refTuple('started_at_ms', 'id'), '<', eb.tuple(after!.startedAtMs, after!.id)),
            ),
          )
          .orderBy('started_at_ms', 'desc')
          .orderBy('id', 'desc')
          // One more than requested shows whether there is a next page.
          .limit(limit + 1 - rows.length)
          .execute();
        rows.push(...found);
        if (rows.length > limit) break;
        if (!window.isLast && reading.isOver) {
          stoppedAtMs = window.fromMs;
          break;
        }
      }
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        calls: page.map(toCallRecord),
        nextCursor:
          rows.length > limit && last
            ? makeCursor({ startedAtMs: last.started_at_ms, id: last.id })
            : stoppedAtMs === null
              ? null
              : makeCursor({ startedAtMs: stoppedAtMs, id: beforeAnyId }),
        searchedBackToMs: stoppedAtMs,
      };
    },

    async count(asked, most = maxCounted) {
      const filter = storableFilter(asked);
      const reading = new Reading(countLimits.postgres);
      let count = 0;
      for await (const window of windowsOf(filter, reading)) {
        const row = await db.reads
          .selectFrom((eb) =>
            eb
              .selectFrom('all_call_records')
              .select('started_at_ms')
              .where((where) => where.and(conditions(where, { ...filter, ...window })))
              .limit(most + 1 - count)
              .as('found'),
          )
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        count += row.count;
        // What an index finds is counted up to `most` at once.
        if (count > most) return { count: most, exact: false };
        if (!window.isLast && reading.isOver) return { count, exact: false };
      }
      return { count, exact: true };
    },

    async purge(beforeMs, limit) {
      let purged = await partitions.dropBefore(beforeMs);
      for (const table of await recordTables(db.reads)) {
        const result = await db.write((trx) =>
          trx
            .deleteFrom(table)
            .where('id', 'in', (eb) =>
              eb
                .selectFrom(table)
                .select('id')
                .where('started_at_ms', '<', beforeMs)
                .where('layout', '<=', newestLayout)
                .orderBy('started_at_ms')
                .limit(limit),
            )
            .where('started_at_ms', '<', beforeMs)
            .executeTakeFirst(),
        );
        purged += Number(result.numDeletedRows);
      }
      return purged;
    },

    async dropContents(fromMs, beforeMs) {
      const nexts: number[] = [];
      for (const table of await recordTables(db.reads)) {
        const dropped = await db.write((trx) => dropContentsIn(trx, table, fromMs, beforeMs));
        // Times grow, so the next step begins at the earliest that is left.
        if (dropped.length === recordsPerDrop)
          nexts.push(dropped.reduce((latest, row) => Math.max(latest, row.started_at_ms), fromMs));
      }
      return nexts.length === 0 ? null : Math.min(...nexts);
    },

    async unreadable() {
      const newer = await db.reads
        .selectFrom('all_call_records')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        // Written out, because the index of later layouts is only used when the query repeats its condition.
        .where('layout', '>', sql.lit(firstLayout))
        .where('layout', '>', newestLayout)
        .executeTakeFirstOrThrow();
      return { newer: newer.count, damaged: 0 };
    },
  };
}

function dropContentsIn(trx: Transaction<Tables>, table: RecordTable, fromMs: number, beforeMs: number) {
  return trx
    .updateTable(table)
    .set({
      arguments_text: null,
      reply_text: null,
      read_text: null,
      reply_outline: null,
      message: sql<string | null>`split_part(message, chr(10), 1)`,
    })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom(table)
        .select('id')
        .where('started_at_ms', '>=', fromMs)
        .where('started_at_ms', '<', beforeMs)
        .where('layout', '<=', newestLayout)
        .where((on) =>
          on.or([
            on('arguments_text', 'is not', null),
            on('reply_text', 'is not', null),
            on('read_text', 'is not', null),
            on('reply_outline', 'is not', null),
          ]),
        )
        .orderBy('started_at_ms')
        .limit(recordsPerDrop),
    )
    .where('started_at_ms', '>=', fromMs)
    .where('started_at_ms', '<', beforeMs)
    .returning('started_at_ms')
    .execute();
}

// Pieces only serve to stop in time. Looking for a text in a row costs about as much as comparing five rows.
const rowsPerWindow = { rows: 10_000, texts: 2_000 };
const costPerRow = { rows: 1, texts: 5 };

/** Whether an index finds a page at once: at most one condition besides time, and that one indexed. */
function isSelective(filter: CallFilter): boolean {
  const { fromMs: _from, toMs: _to, ...others } = filter;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return given.length === 0 || (given.length === 1 && indexed.has(given[0]![0]));
}

const indexed: ReadonlySet<string> = new Set<keyof CallFilter>([
  'toolName',
  'serverSlug',
  'callerId',
  'outcome',
  'parentId',
]);

type CallExpressions = ExpressionBuilder<Tables, 'all_call_records'>;
type Condition = ExpressionWrapper<Tables, 'all_call_records', SqlBool>;

function conditions(eb: CallExpressions, filter: CallFilter): Condition[] {
  const all: Condition[] = [eb('layout', '<=', newestLayout)];
  const equal = (column: keyof CallRecordRow, value: string | number | undefined) => {
    if (value !== undefined) all.push(eb(column, '=', value));
  };
  equal('parent_id', filter.parentId);
  equal('tool_name', filter.toolName);
  equal('tool_id', filter.toolId);
  equal('api_slug', filter.apiSlug);
  equal('server_slug', filter.serverSlug);
  equal('caller_id', filter.callerId);
  equal('client_name', filter.clientName);
  equal('surface', filter.surface);
  equal('upstream_status', filter.upstreamStatus);
  if (filter.outcome !== undefined) {
    const several = outcomesIn(filter.outcome);
    if (several !== null) all.push(eb('outcome', 'in', several));
    else if (filter.outcome !== 'error') equal('outcome', filter.outcome);
    // Written out, because the index of failures is only used when the query repeats its condition.
    if (filter.outcome !== 'ok') all.push(eb('outcome', '<>', sql.lit('ok')));
    if (filter.outcome === 'error') all.push(eb('outcome', '<>', sql.lit('waiting')));
  }
  if (filter.fromMs !== undefined) all.push(eb('started_at_ms', '>=', filter.fromMs));
  if (filter.toMs !== undefined) all.push(eb('started_at_ms', '<', filter.toMs));
  if (filter.text !== undefined && filter.text !== '') all.push(containsText(eb, filter.text));
  return all;
}

const searchedColumns = ['tool_name', 'arguments_text', 'reply_text', 'request_line', 'message'] as const;

function containsText(eb: CallExpressions, text: string): Condition {
  // ILIKE in a database without a locale ignores the case of ASCII letters only.
  const ascii = /^[\0-\x7f]*$/.test(text);
  const matches = (column: (typeof searchedColumns)[number]) =>
    ascii
      ? sql<SqlBool>`${eb.ref(column)} ilike ${likePattern(text)} escape '\\'`
      : sql<SqlBool>`${eb.ref(column)} ~ ${regexPattern(text)}`;
  return eb.or(searchedColumns.map(matches));
}

function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
}

/** Each letter becomes a class of its two cases. */
function regexPattern(text: string): string {
  return Array.from(text, (c) => {
    const lower = c.toLowerCase();
    const upper = c.toUpperCase();
    const hasCases = lower !== upper && [...lower].length === 1 && [...upper].length === 1;
    if (hasCases) return `[${lower}${upper}]`;
    return /[\\^$.|?*+()[\]{}]/.test(c) ? `\\${c}` : c;
  }).join('');
}

/**
 * Writes a batch of call records in one statement with one parameter, however many there are. A record that the database
 * refuses for what is in it does not keep the others from being written: it is found, and written without that.
 */
function writeCalls(ensure: Partitions['ensure']): CallStore['write'] {
  const text =
    `insert into call_records (${namesOf(callColumns)}) ${rowsOf(callColumns)} ` +
    'on conflict (id, started_at_ms) do nothing';

  const insert = async (records: readonly CallRecord[]): Promise<void> => {
    const values = JSON.stringify(records.map(toValues));
    const times = records.map((record) => record.startedAtMs);
    await ensure(times, (trx) => trx.executeQuery(CompiledQuery.raw(text, [values])));
  };

  const write = async (records: readonly CallRecord[]): Promise<void> => {
    try {
      await insert(records);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      const [only] = records;
      if (records.length === 1) return insert([withoutContents(only!, 'the database refused them')]);
      const half = records.length >> 1;
      await write(records.slice(0, half));
      await write(records.slice(half));
    }
  };

  return async (batch) => {
    if (batch.size > 0) await write(batch.records());
  };
}

/** A stretch of time in pieces of a bounded number of records each, newest first, so that a long search can stop. */
async function* timeWindows(
  reads: Reader,
  stretch: Window,
  kind: keyof typeof rowsPerWindow,
  reading: Reading,
): AsyncGenerator<Window> {
  const { fromMs, isLast } = stretch;
  let { toMs } = stretch;
  for (;;) {
    const edge = await reads
      .selectFrom('all_call_records')
      .select('started_at_ms')
      .where('started_at_ms', '<', toMs)
      .where('started_at_ms', '>=', fromMs)
      .orderBy('started_at_ms', 'desc')
      .limit(1)
      .offset(rowsPerWindow[kind])
      .executeTakeFirst();
    if (edge !== undefined) reading.rows += rowsPerWindow[kind] * costPerRow[kind];
    // Records of one moment stay together.
    const edgeMs = edge === undefined ? fromMs : Math.min(edge.started_at_ms, toMs - 1);
    yield { fromMs: edgeMs, toMs, isLast: isLast && edge === undefined };
    if (edge === undefined) return;
    toMs = edgeMs;
  }
}

/** Records as they are, to be written as one parameter. */
export class RecordBatch implements CallBatch {
  readonly #records: CallRecord[] = [];

  get size(): number {
    return this.#records.length;
  }

  add(record: CallRecord): void {
    this.#records.push(record);
  }

  records(): readonly CallRecord[] {
    return this.#records;
  }
}
