import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { beforeAnyId, makeCursor, parseCursor } from '../call-cursor.ts';
import { firstLayout, newestLayout } from '../call-layout.ts';
import { storable, toCallRecord } from '../call-rows.ts';
import { storableFilter } from '../matches-filter.ts';
import type { CallFilter, CallStore } from '../ports.ts';
import { outcomesIn } from '../../domain/call.ts';
import type { CallRecordRow, Tables } from '../schema.ts';
import { countBudgetMs, mostCounted, searchBudgetMs } from '../search-budget.ts';
import { RecordBatch } from './call-batch.ts';
import { writeCalls } from './write-calls.ts';
import { timeWindows, wholeTime } from './time-windows.ts';

/** Keeps call records, a row each; `find` pages by start time and id, newest first. */
export function createCallStore(db: Kysely<Tables>): CallStore {
  const windowsOf = (filter: CallFilter) =>
    isSelective(filter)
      ? wholeTime(filter)
      : timeWindows(db, filter, filter.text ? rowsPerTextWindow : rowsPerWindow);
  return {
    newBatch: () => new RecordBatch(),
    write: writeCalls(db),

    async get(id) {
      const row = await db
        .selectFrom('call_records')
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
      const startedAt = performance.now();
      let stoppedAtMs: number | null = null;
      for await (const window of windowsOf({ ...filter, ...(toMs !== undefined && { toMs }) })) {
        const found = await db
          .selectFrom('call_records')
          .selectAll()
          .where((eb) => eb.and(conditions(eb, { ...filter, ...window })))
          .$if(after !== null, (query) =>
            query.where((eb) =>
              eb(eb.refTuple('started_at_ms', 'id'), '<', eb.tuple(after!.startedAtMs, after!.id)),
            ),
          )
          .orderBy('started_at_ms', 'desc')
          .orderBy('id', 'desc')
          // One more than asked for tells whether there is a next page.
          .limit(limit + 1 - rows.length)
          .execute();
        rows.push(...found);
        if (rows.length > limit) break;
        if (!window.last && performance.now() - startedAt > searchBudgetMs) {
          stoppedAtMs = window.fromMs!;
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

    async count(asked, most = mostCounted) {
      const filter = storableFilter(asked);
      const startedAt = performance.now();
      let count = 0;
      for await (const window of windowsOf(filter)) {
        const row = await db
          .selectFrom((eb) =>
            eb
              .selectFrom('call_records')
              .select('started_at_ms')
              .where((where) => where.and(conditions(where, { ...filter, ...window })))
              .limit(most + 1 - count)
              .as('found'),
          )
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        count += row.count;
        if (count > most) return { count: most, exact: false };
        if (!window.last && performance.now() - startedAt > countBudgetMs) {
          return { count, exact: false };
        }
      }
      return { count, exact: true };
    },

    async purge(beforeMs, limit) {
      const result = await db.transaction().execute((trx) =>
        trx
          .deleteFrom('call_records')
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('call_records')
              .select('id')
              .where('started_at_ms', '<', beforeMs)
              .where('layout', '<=', newestLayout)
              .orderBy('started_at_ms')
              .limit(limit),
          )
          .executeTakeFirst(),
      );
      return Number(result.numDeletedRows);
    },

    async unreadable() {
      const newer = await db
        .selectFrom('call_records')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        // Written out, because the index of later layouts is only used when the query repeats its condition.
        .where('layout', '>', sql.lit(firstLayout))
        .where('layout', '>', newestLayout)
        .executeTakeFirstOrThrow();
      return { newer: newer.count, damaged: 0 };
    },
  };
}

// Pieces only serve to stop in time.
const rowsPerWindow = 100_000;
const rowsPerTextWindow = 10_000;

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

type CallExpressions = ExpressionBuilder<Tables, 'call_records'>;
type Condition = ExpressionWrapper<Tables, 'call_records', SqlBool>;

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
