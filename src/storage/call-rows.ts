import type { CallRecord, CallStep } from '../domain/call.ts';
import { arrayOr, keysOf } from '../lib/json/plain-object.ts';
import { layoutOf } from './call-layout.ts';
import type { CallRecordRow } from './schema.ts';

type ColumnValue = string | number | null;

/** How a field of a record is kept in a row. */
interface FieldColumn<Value> {
  readonly column: Exclude<keyof CallRecordRow, 'layout'>;
  /** PostgreSQL's name of its type. */
  readonly type: 'text' | 'integer' | 'bigint' | 'double precision';
  // From the whole record: that every field has a function of its own, which sees one shape of object, makes writing fast.
  readonly write: (record: CallRecord) => ColumnValue;
  readonly read: (stored: ColumnValue) => Value;
}

/** One that is stored as it is. */
const plain = <Value extends ColumnValue>(
  column: FieldColumn<Value>['column'],
  type: FieldColumn<Value>['type'],
  write: (record: CallRecord) => Value,
): FieldColumn<Value> => ({
  column,
  type,
  write,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the database holds a column to its type, and only `write` fills it
  read: (stored) => stored as Value,
});

/** A text of whatever origin. */
const text = <Value extends string | null>(
  column: FieldColumn<Value>['column'],
  write: (record: CallRecord) => Value,
): FieldColumn<Value> => plain(column, 'text', write);

/** Every field of a record. One that comes later goes to the end, with its line in call-layout.ts and a migration for its column. */
const fields: { readonly [Name in keyof CallRecord]: FieldColumn<CallRecord[Name]> } = {
  id: text('id', (record) => record.id),
  toolId: text('tool_id', (record) => storable(record.toolId)),
  toolName: text('tool_name', (record) => storable(record.toolName)),
  apiSlug: text('api_slug', (record) => storable(record.apiSlug)),
  serverSlug: text('server_slug', (record) => storable(record.serverSlug)),
  surface: text('surface', (record) => record.surface),
  callerId: text('caller_id', (record) => storable(record.callerId)),
  callerLabel: text('caller_label', (record) => storable(record.callerLabel)),
  clientName: text('client_name', (record) => storable(record.clientName)),
  clientVersion: text('client_version', (record) => storable(record.clientVersion)),
  startedAtMs: plain('started_at_ms', 'bigint', (record) => Math.round(record.startedAtMs)),
  durationMs: plain('duration_ms', 'double precision', (record) => record.durationMs),
  upstreamMs: plain('upstream_ms', 'double precision', (record) => record.upstreamMs),
  upstreamStatus: plain('upstream_status', 'integer', (record) => record.upstreamStatus),
  outcome: text('outcome', (record) => record.outcome),
  message: text('message', (record) => storable(record.message)),
  tries: plain('tries', 'integer', (record) => record.tries),
  cached: {
    column: 'cached',
    type: 'integer',
    write: (record) => (record.cached ? 1 : 0),
    read: (stored) => stored === 1,
  },
  requestBytes: plain('request_bytes', 'bigint', (record) => record.requestBytes),
  replyBytes: plain('reply_bytes', 'bigint', (record) => record.replyBytes),
  argumentsText: text('arguments_text', (record) => storable(record.argumentsText)),
  replyText: text('reply_text', (record) => storable(record.replyText)),
  requestLine: text('request_line', (record) => storable(record.requestLine)),
  outputTokens: plain('output_tokens', 'bigint', (record) => record.outputTokens),
  steps: {
    column: 'steps_text',
    type: 'text',
    write: (record) => writeSteps(record.steps),
    read: (stored) => readSteps(stored),
  },
  parentId: text('parent_id', (record) => storable(record.parentId)),
  readTokens: plain('read_tokens', 'bigint', (record) => record.readTokens),
  readText: text('read_text', (record) => storable(record.readText)),
  replyOutline: text('reply_outline', (record) => storable(record.replyOutline)),
};

const columns = keysOf(fields).map((name) => [name, fields[name]] as const);
const writers = [...columns.map(([, { write }]) => write), layoutOf];

/** The columns of a call record with their types, in the order that `toValues` lists them. */
export const callColumns: readonly (readonly [name: keyof CallRecordRow, type: string])[] = [
  ...columns.map(([, { column, type }]) => [column, type] as const),
  ['layout', 'integer'],
];

/** A record's values, made storable: PostgreSQL refuses NUL and unpaired surrogates, which a caller can send as a tool name. */
export function toValues(record: CallRecord): readonly ColumnValue[] {
  const values: ColumnValue[] = [];
  for (const write of writers) values.push(write(record));
  return values;
}

/** The record that a row holds. */
export function toCallRecord(row: CallRecordRow): CallRecord {
  const record: Partial<Record<keyof CallRecord, unknown>> = {};
  for (const [name, { column, read }] of columns) record[name] = read(row[column]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of `fields` has it list every field of a record
  return record as CallRecord;
}

// Millions of them are kept, so names are not repeated: [name, start, duration, note].
function writeSteps(steps: readonly CallStep[]): string | null {
  if (steps.length === 0) return null;
  let stored = '';
  for (const { name, startMs, durationMs, note } of steps) {
    const end = note === undefined ? '' : `,${JSON.stringify(note)}`;
    stored += `${stored === '' ? '[' : ','}["${name}",${startMs},${durationMs}${end}]`;
  }
  return storable(`${stored}]`);
}

function readSteps(stored: ColumnValue): CallStep[] {
  if (typeof stored !== 'string') return [];
  return arrayOr(JSON.parse(stored)).flatMap((step) => {
    const [name, startMs, durationMs, note] = arrayOr(step);
    if (typeof name !== 'string' || typeof startMs !== 'number' || typeof durationMs !== 'number') return [];
    return [{ name, startMs, durationMs, ...(typeof note === 'string' && { note }) }];
  });
}

// With the `u` flag a surrogate pair is one character, so the class matches unpaired ones only.
const unstorable = /[\0\ud800-\udfff]/gu;

/** A text as both databases can hold it. */
export function storable(value: string): string;
export function storable(value: string | null): string | null;
export function storable(value: string | null): string | null {
  if (value === null || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.replace(unstorable, '\ufffd');
}
