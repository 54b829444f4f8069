import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { HandrailError } from '../domain/errors.ts';
import { storable, toCallRecord } from './call-rows.ts';
import type { CallFilter, CallStore } from './ports.ts';
import type { CallRecordRow, StoreKind, Tables } from './schema.ts';
import { timeWindows, wholeTime } from './time-windows.ts';

/** Keeps call records; `find` pages by start time and id, newest first. How a batch is written fast is each database's own. */
export function createCallStore(db: Kysely<Tables>, kind: StoreKind, add: CallStore['add']): CallStore {
  const windowsOf = (filter: CallFilter, long: boolean) => {
    if (!long) return wholeTime(filter);
    const rows = filter.text ? rowsPerTextWindow : rowsPerWindow;
    // PostgreSQL works elsewhere: larger pieces only serve to stop in time.
    return timeWindows(db, filter, kind === 'sqlite' ? rows : rows * 20);
  };
  return {
    add,

    async get(id) {
      const row = await db
        .selectFrom('call_records')
        .selectAll()
        .where('id', '=', storable(id))
        .executeTakeFirst();
      return row ? toCallRecord(row) : null;
    },

    async find(filter, limit, cursor) {
      const after = cursor === undefined ? null : parseCursor(cursor);
      const toMs = after === null ? filter.toMs : Math.min(filter.toMs ?? Infinity, after.startedAtMs + 1);
      const rows: CallRecordRow[] = [];
      const startedAt = performance.now();
      let stoppedAtMs: number | null = null;
      for await (const window of windowsOf({ ...filter, toMs }, !isSelective(filter))) {
        const found = await db
          .selectFrom('call_records')
          .selectAll()
          .where((eb) => eb.and(conditions(eb, { ...filter, ...window }, kind)))
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
            ? makeCursor(last)
            : stoppedAtMs === null
              ? null
              : makeCursor({ started_at_ms: stoppedAtMs, id: '!' }),
        searchedBackToMs: stoppedAtMs,
      };
    },

    async count(filter, most = mostCounted) {
      const startedAt = performance.now();
      let count = 0;
      for await (const window of windowsOf(filter, !isSelective(filter))) {
        const row = await db
          .selectFrom((eb) =>
            eb
              .selectFrom('call_records')
              .select('started_at_ms')
              .where((where) => where.and(conditions(where, { ...filter, ...window }, kind)))
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
              .orderBy('started_at_ms')
              .limit(limit),
          )
          .executeTakeFirst(),
      );
      return Number(result.numDeletedRows);
    },
  };
}

// Beyond these a page of millions of records would keep someone waiting. On SQLite both are spent one after the other.
const searchBudgetMs = 500;
const countBudgetMs = 250;
const mostCounted = 10_000;

// A few milliseconds each, and not too long when they have to be read from a slow disk.
const rowsPerWindow = 5_000;
const rowsPerTextWindow = 500;

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
]);

type CallExpressions = ExpressionBuilder<Tables, 'call_records'>;
type Condition = ExpressionWrapper<Tables, 'call_records', SqlBool>;

function conditions(eb: CallExpressions, filter: CallFilter, kind: StoreKind): Condition[] {
  const all: Condition[] = [];
  const equal = (column: keyof CallRecordRow, value: string | number | undefined) => {
    if (value !== undefined) all.push(eb(column, '=', typeof value === 'string' ? storable(value) : value));
  };
  equal('tool_name', filter.toolName);
  equal('tool_id', filter.toolId);
  equal('api_slug', filter.apiSlug);
  equal('server_slug', filter.serverSlug);
  equal('caller_id', filter.callerId);
  equal('client_name', filter.clientName);
  equal('surface', filter.surface);
  equal('upstream_status', filter.upstreamStatus);
  if (filter.outcome !== undefined) {
    if (filter.outcome !== 'error') equal('outcome', filter.outcome);
    // Written out, because the index of failures is only used when the query repeats its condition.
    if (filter.outcome !== 'ok') all.push(eb('outcome', '<>', sql.lit('ok')));
  }
  if (filter.fromMs !== undefined) all.push(eb('started_at_ms', '>=', filter.fromMs));
  if (filter.toMs !== undefined) all.push(eb('started_at_ms', '<', filter.toMs));
  if (filter.text !== undefined && filter.text !== '') all.push(containsText(eb, filter.text, kind));
  return all;
}

const searchedColumns = ['tool_name', 'arguments_text', 'reply_text', 'request_line', 'message'] as const;
const maxSearchLength = 1_000;

function containsText(eb: CallExpressions, text: string, kind: StoreKind): Condition {
  if (text.length > maxSearchLength) {
    throw new HandrailError(
      'invalid_request',
      `A search text can have at most ${maxSearchLength} characters.`,
    );
  }
  const wanted = storable(text);
  // LIKE on SQLite, and ILIKE in a PostgreSQL database without a locale, ignore the case of ASCII letters only.
  const ascii = /^[\0-\x7f]*$/.test(wanted);
  const matches = (column: (typeof searchedColumns)[number]) => {
    const searched = eb.ref(column);
    if (kind === 'postgres') {
      return ascii
        ? sql<SqlBool>`${searched} ilike ${likePattern(wanted)} escape '\\'`
        : sql<SqlBool>`${searched} ~ ${regexPattern(wanted)}`;
    }
    return ascii
      ? sql<SqlBool>`${searched} like ${likePattern(wanted)} escape '\\'`
      : sql<SqlBool>`${searched} glob ${globPattern(wanted)}`;
  };
  return eb.or(searchedColumns.map(matches)) as Condition;
}

function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
}

function globPattern(text: string): string {
  return `*${eachCharacter(text, (c) => (/[*?[]/.test(c) ? `[${c}]` : c))}*`;
}

function regexPattern(text: string): string {
  return eachCharacter(text, (c) => (/[\\^$.|?*+()[\]{}]/.test(c) ? `\\${c}` : c));
}

/** Replaces each letter by a class of its two cases and leaves the rest to `literal`. */
function eachCharacter(text: string, literal: (character: string) => string): string {
  return Array.from(text, (c) => {
    const lower = c.toLowerCase();
    const upper = c.toUpperCase();
    const hasCases = lower !== upper && [...lower].length === 1 && [...upper].length === 1;
    return hasCases ? `[${lower}${upper}]` : literal(c);
  }).join('');
}

function makeCursor(row: Pick<CallRecordRow, 'started_at_ms' | 'id'>): string {
  return Buffer.from(`${row.started_at_ms}:${row.id}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly startedAtMs: number; readonly id: string } {
  const match = /^(\d{1,16}):([\x21-\x7e]{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new HandrailError('invalid_request', 'The cursor is not one that an earlier page gave.');
  return { startedAtMs: Number(match[1]), id: match[2]! };
}
