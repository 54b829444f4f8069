import type { CallRecord } from '../domain/call.ts';
import type { CallFilter } from '../storage/ports.ts';

/** Whether a record is one that a search with this filter would find. */
export function matchesFilter(record: CallRecord, filter: CallFilter): boolean {
  const same = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  return (
    same(filter.toolName, record.toolName) &&
    same(filter.toolId, record.toolId) &&
    same(filter.apiSlug, record.apiSlug) &&
    same(filter.serverSlug, record.serverSlug) &&
    same(filter.callerId, record.callerId) &&
    same(filter.clientName, record.clientName) &&
    same(filter.surface, record.surface) &&
    same(filter.upstreamStatus, record.upstreamStatus) &&
    (filter.outcome === 'error' ? record.outcome !== 'ok' : same(filter.outcome, record.outcome)) &&
    (filter.fromMs === undefined || record.startedAtMs >= filter.fromMs) &&
    (filter.toMs === undefined || record.startedAtMs < filter.toMs) &&
    containsText(record, filter.text)
  );
}

function containsText(record: CallRecord, text: string | undefined): boolean {
  if (text === undefined || text === '') return true;
  const wanted = text.toLowerCase();
  return [record.toolName, record.argumentsText, record.replyText, record.requestLine, record.message].some(
    (value) => value?.toLowerCase().includes(wanted) === true,
  );
}
