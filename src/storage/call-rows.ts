import type { CallRecord, CallStep, OutcomeKind, Surface } from '../domain/call.ts';
import { layoutOf } from './call-layout.ts';
import type { CallRecordRow } from './schema.ts';

type Stored = string | number | null;

/** How a field of a record is kept in a row. */
interface FieldColumn<Value> {
  readonly column: Exclude<keyof CallRecordRow, 'layout'>;
  /** PostgreSQL's name of its type. */
  readonly type: 'text' | 'integer' | 'bigint' | 'double precision';
  readonly write: (value: Value) => Stored;
  readonly read: (stored: Stored) => Value;
}

const asText = <Value extends string | null>(column: FieldColumn<Value>['column']): FieldColumn<Value> => ({
  column,
  type: 'text',
  write: storable,
  read: (stored) => stored as Value,
});

const asNumber = <Value extends number | null>(
  column: FieldColumn<Value>['column'],
  type: FieldColumn<Value>['type'],
): FieldColumn<Value> => ({ column, type, write: (value) => value, read: (stored) => stored as Value });

/** Every field of a record. One that comes later goes to the end, with its line in call-layout.ts and a migration for its column. */
const fields: { readonly [Name in keyof CallRecord]: FieldColumn<CallRecord[Name]> } = {
  id: asText('id'),
  toolId: asText('tool_id'),
  toolName: asText('tool_name'),
  apiSlug: asText('api_slug'),
  serverSlug: asText('server_slug'),
  surface: asText<Surface>('surface'),
  callerId: asText('caller_id'),
  callerLabel: asText('caller_label'),
  clientName: asText('client_name'),
  clientVersion: asText('client_version'),
  startedAtMs: { ...asNumber('started_at_ms', 'bigint'), write: Math.round },
  durationMs: asNumber('duration_ms', 'double precision'),
  upstreamMs: asNumber('upstream_ms', 'double precision'),
  upstreamStatus: asNumber('upstream_status', 'integer'),
  outcome: asText<OutcomeKind>('outcome'),
  message: asText('message'),
  tries: asNumber('tries', 'integer'),
  cached: {
    column: 'cached',
    type: 'integer',
    write: (cached) => (cached ? 1 : 0),
    read: (stored) => stored === 1,
  },
  requestBytes: asNumber('request_bytes', 'bigint'),
  replyBytes: asNumber('reply_bytes', 'bigint'),
  argumentsText: asText('arguments_text'),
  replyText: asText('reply_text'),
  requestLine: asText('request_line'),
  outputTokens: asNumber('output_tokens', 'bigint'),
  steps: {
    column: 'steps_text',
    type: 'text',
    write: writeSteps,
    read: (stored) => readSteps(stored as string | null),
  },
  parentId: asText('parent_id'),
};

const columns = Object.entries(fields) as unknown as readonly [keyof CallRecord, FieldColumn<unknown>][];

/** The columns of a call record with their types, in the order that `toValues` lists them. */
export const callColumns: readonly (readonly [name: keyof CallRecordRow, type: string])[] = [
  ...columns.map(([, { column, type }]) => [column, type] as const),
  ['layout', 'integer'],
];

/** A record's values, made storable: PostgreSQL refuses NUL and unpaired surrogates, which a caller can send as a tool name. */
export function toValues(record: CallRecord): readonly Stored[] {
  const values: Stored[] = [];
  for (const [name, { write }] of columns) values.push(write(record[name]));
  values.push(layoutOf(record));
  return values;
}

/** The record that a row holds. */
export function toCallRecord(row: CallRecordRow): CallRecord {
  return Object.fromEntries(
    columns.map(([name, { column, read }]) => [name, read(row[column])]),
  ) as unknown as CallRecord;
}

// Millions of them are kept, so names are not repeated: [name, start, duration, note].
function writeSteps(steps: readonly CallStep[]): string | null {
  if (steps.length === 0) return null;
  let text = '';
  for (const { name, startMs, durationMs, note } of steps) {
    const end = note === undefined ? '' : `,${JSON.stringify(note)}`;
    text += `${text === '' ? '[' : ','}["${name}",${startMs},${durationMs}${end}]`;
  }
  return storable(`${text}]`);
}

function readSteps(text: string | null): CallStep[] {
  const rows = text === null ? [] : (JSON.parse(text) as [string, number, number, string?][]);
  return rows.map(([name, startMs, durationMs, note]) => ({
    name,
    startMs,
    durationMs,
    ...(note !== undefined && { note }),
  }));
}

// With the `u` flag a surrogate pair is one character, so the class matches unpaired ones only.
const unstorable = /[\0\ud800-\udfff]/gu;

/** A text as both databases can hold it. */
export function storable<T extends string | null>(text: T): T {
  if (text === null || (text.isWellFormed() && !text.includes('\0'))) return text;
  return text.replace(unstorable, '\ufffd') as T;
}
