import type { CallRecord } from '../domain/call.ts';

const columns: readonly (readonly [string, (record: CallRecord) => string | number | boolean | null])[] = [
  ['id', (r) => r.id],
  ['started_at', (r) => new Date(r.startedAtMs).toISOString()],
  ['tool', (r) => r.toolName],
  ['api', (r) => r.apiSlug],
  ['server', (r) => r.serverSlug],
  ['surface', (r) => r.surface],
  ['caller_id', (r) => r.callerId],
  ['caller', (r) => r.callerLabel],
  ['client', (r) => r.clientName],
  ['client_version', (r) => r.clientVersion],
  ['outcome', (r) => r.outcome],
  ['upstream_status', (r) => r.upstreamStatus],
  ['duration_ms', (r) => r.durationMs],
  ['upstream_ms', (r) => r.upstreamMs],
  ['tries', (r) => r.tries],
  ['cached', (r) => r.cached],
  ['request_bytes', (r) => r.requestBytes],
  ['reply_bytes', (r) => r.replyBytes],
  ['output_tokens', (r) => r.outputTokens],
  ['message', (r) => r.message],
  ['request', (r) => r.requestLine],
  ['arguments', (r) => r.argumentsText],
  ['reply', (r) => r.replyText],
  // At the end, because existing readers address the other columns by position.
  ['parent_id', (r) => r.parentId],
  ['read_tokens', (r) => r.readTokens],
];

/** The first line of an export (RFC 4180). */
export const csvHeader = `${columns.map(([name]) => name).join(',')}\r\n`;

/** A record as one line of an export. */
export function csvLine(record: CallRecord): string {
  return `${columns.map(([, read]) => cell(read(record))).join(',')}\r\n`;
}

// A spreadsheet would run a cell that starts like a formula, and the upstream controls how a reply starts.
const formula = /^[=+\-@\t\r]/;

function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
