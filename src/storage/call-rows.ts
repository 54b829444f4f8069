import type { CallRecord, CallStep, OutcomeKind, Surface } from '../domain/call.ts';
import type { CallRecordRow } from './schema.ts';

/** The columns of a call record in the order that `toValues` lists them. */
export const callColumns = [
  'id',
  'tool_id',
  'tool_name',
  'api_slug',
  'server_slug',
  'surface',
  'caller_id',
  'caller_label',
  'client_name',
  'client_version',
  'started_at_ms',
  'duration_ms',
  'upstream_ms',
  'upstream_status',
  'outcome',
  'message',
  'tries',
  'cached',
  'request_bytes',
  'reply_bytes',
  'arguments_text',
  'reply_text',
  'request_line',
  'output_tokens',
  'steps_text',
] as const satisfies readonly (keyof CallRecordRow)[];

/** A record's values, made storable: PostgreSQL refuses NUL and unpaired surrogates, which a caller can send as a tool name. */
export function toValues(record: CallRecord): readonly (string | number | null)[] {
  return [
    record.id,
    storable(record.toolId),
    storable(record.toolName),
    storable(record.apiSlug),
    storable(record.serverSlug),
    record.surface,
    storable(record.callerId),
    storable(record.callerLabel),
    storable(record.clientName),
    storable(record.clientVersion),
    Math.round(record.startedAtMs),
    record.durationMs,
    record.upstreamMs,
    record.upstreamStatus,
    record.outcome,
    storable(record.message),
    record.tries,
    record.cached ? 1 : 0,
    record.requestBytes,
    record.replyBytes,
    storable(record.argumentsText),
    storable(record.replyText),
    storable(record.requestLine),
    record.outputTokens,
    writeSteps(record.steps),
  ];
}

/** The record that a row holds. */
export function toCallRecord(row: CallRecordRow): CallRecord {
  return {
    id: row.id,
    toolId: row.tool_id,
    toolName: row.tool_name,
    apiSlug: row.api_slug,
    serverSlug: row.server_slug,
    surface: row.surface as Surface,
    callerId: row.caller_id,
    callerLabel: row.caller_label,
    clientName: row.client_name,
    clientVersion: row.client_version,
    startedAtMs: row.started_at_ms,
    durationMs: row.duration_ms,
    upstreamMs: row.upstream_ms,
    upstreamStatus: row.upstream_status,
    outcome: row.outcome as OutcomeKind,
    message: row.message,
    tries: row.tries,
    cached: row.cached === 1,
    requestBytes: row.request_bytes,
    replyBytes: row.reply_bytes,
    argumentsText: row.arguments_text,
    replyText: row.reply_text,
    requestLine: row.request_line,
    outputTokens: row.output_tokens,
    steps: readSteps(row.steps_text),
  };
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
