import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from 'kysely';
import { CompiledQuery, sql } from 'kysely';
import { HandrailError } from '../domain/errors.ts';
import { callColumns, toCallRecord, toValues } from './call-rows.ts';
import type { CallFilter, CallStore } from './ports.ts';
import type { CallRecordRow, StoreKind, Tables } from './schema.ts';

/** Keeps call records; `find` pages by start time and id, newest first. */
export function createCallStore(db: Kysely<Tables>, kind: StoreKind): CallStore {
  const insertSql = kind === 'postgres' ? postgresInsert() : sqliteInsert();
  return {
    async add(records) {
      if (records.length === 0) return;
      // One parameter for the whole batch: binding each value on its own costs several times as much on SQLite.
      const batch = JSON.stringify(records.map(toValues));
      await db.transaction().execute((trx) => trx.executeQuery(CompiledQuery.raw(insertSql, [batch])));
    },

    async get(id) {
      const row = await db.selectFrom('call_records').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toCallRecord(row) : null;
    },

    async find(filter, limit, cursor) {
      const after = cursor === undefined ? null : parseCursor(cursor);
      const rows = await db
        .selectFrom('call_records')
        .selectAll()
        .where((eb) => eb.and(conditions(eb, filter, kind)))
        .$if(after !== null, (query) =>
          query.where((eb) =>
            eb(eb.refTuple('started_at_ms', 'id'), '<', eb.tuple(after!.startedAtMs, after!.id)),
          ),
        )
        .orderBy('started_at_ms', 'desc')
        .orderBy('id', 'desc')
        // One more than asked for tells whether there is a next page.
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        calls: page.map(toCallRecord),
        nextCursor: rows.length > limit && last ? makeCursor(last) : null,
      };
    },

    async count(filter) {
      const row = await db
        .selectFrom('call_records')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where((eb) => eb.and(conditions(eb, filter, kind)))
        .executeTakeFirstOrThrow();
      return Number(row.count);
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

const columnList = callColumns.join(', ');

function sqliteInsert(): string {
  const values = callColumns.map((_, index) => `value ->> ${index}`).join(', ');
  // Without `where true` SQLite would read `on conflict` as a join condition.
  return `insert into call_records (${columnList}) select ${values} from json_each(?) where true on conflict (id) do nothing`;
}

function postgresInsert(): string {
  const types: Partial<Record<keyof CallRecordRow, string>> = {
    started_at_ms: 'bigint',
    duration_ms: 'double precision',
    upstream_ms: 'double precision',
    upstream_status: 'integer',
    tries: 'integer',
    cached: 'integer',
    request_bytes: 'bigint',
    reply_bytes: 'bigint',
  };
  const values = callColumns
    .map((column, index) => `(value ->> ${index})::${types[column] ?? 'text'}`)
    .join(', ');
  return `insert into call_records (${columnList}) select ${values} from json_array_elements($1::json) as value on conflict (id) do nothing`;
}

type CallExpressions = ExpressionBuilder<Tables, 'call_records'>;
type Condition = ExpressionWrapper<Tables, 'call_records', SqlBool>;

function conditions(eb: CallExpressions, filter: CallFilter, kind: StoreKind): Condition[] {
  const all: Condition[] = [];
  const equal = (column: keyof CallRecordRow, value: string | number | undefined) => {
    if (value !== undefined) all.push(eb(column, '=', value));
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
  const matches = (column: (typeof searchedColumns)[number]) => {
    if (kind === 'postgres') return sql<SqlBool>`${eb.ref(column)} ilike ${likePattern(text)} escape '\\'`;
    if (/^[\0-\x7f]*$/.test(text))
      return sql<SqlBool>`${eb.ref(column)} like ${likePattern(text)} escape '\\'`;
    return sql<SqlBool>`${eb.ref(column)} glob ${globPattern(text)}`;
  };
  return eb.or(searchedColumns.map(matches)) as Condition;
}

function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
}

// SQLite's LIKE ignores case for ASCII letters only; GLOB with both cases of each letter does for all.
function globPattern(text: string): string {
  const parts = Array.from(text, (c) => {
    if (c === '*' || c === '?' || c === '[') return `[${c}]`;
    const lower = c.toLowerCase();
    const upper = c.toUpperCase();
    return lower !== upper && [...lower].length === 1 && [...upper].length === 1 ? `[${lower}${upper}]` : c;
  });
  return `*${parts.join('')}*`;
}

function makeCursor(row: CallRecordRow): string {
  return Buffer.from(`${row.started_at_ms}:${row.id}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly startedAtMs: number; readonly id: string } {
  const match = /^(\d{1,16}):([\x21-\x7e]{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new HandrailError('invalid_request', 'The cursor is not one that an earlier page gave.');
  return { startedAtMs: Number(match[1]), id: match[2]! };
}
