import { type CallRecord, isFailure, outcomesIn } from '../domain/call.ts';
import { storageErrors } from '../domain/error-messages/storage.ts';
import type { LaterFields } from './call-layout.ts';
import { storable } from './call-rows.ts';
import type { CallFilter } from './ports.ts';

/** Whether a record is one that a search with this filter would find. */
export function matchesFilter(record: CallRecord, filter: CallFilter): boolean {
  return (
    matchesKind(record, filter) &&
    matchesLater(record, filter) &&
    matchesTime(record.startedAtMs, filter) &&
    (!filter.text || containsText(record, filter.text.toLowerCase()))
  );
}

/** Whether what many calls agree in fits a filter. */
export function matchesKind(
  call: Pick<
    CallRecord,
    | 'toolName'
    | 'toolId'
    | 'apiSlug'
    | 'serverSlug'
    | 'callerId'
    | 'clientName'
    | 'surface'
    | 'upstreamStatus'
    | 'outcome'
  >,
  filter: CallFilter,
): boolean {
  const same = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  return (
    same(filter.toolName, call.toolName) &&
    same(filter.toolId, call.toolId) &&
    same(filter.apiSlug, call.apiSlug) &&
    same(filter.serverSlug, call.serverSlug) &&
    same(filter.callerId, call.callerId) &&
    same(filter.clientName, call.clientName) &&
    same(filter.surface, call.surface) &&
    same(filter.upstreamStatus, call.upstreamStatus) &&
    matchesOutcome(call.outcome, filter.outcome)
  );
}

function matchesOutcome(outcome: CallRecord['outcome'], wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === outcome) return true;
  return wanted === 'error'
    ? isFailure(outcome)
    : (outcomesIn(wanted)?.some((code) => code === outcome) ?? false);
}

/** Whether the fields that came after layout 1 fit a filter. */
export function matchesLater(call: LaterFields, { parentId }: CallFilter): boolean {
  return parentId === undefined || parentId === call.parentId;
}

/** Whether a call that started then fits a filter. */
export function matchesTime(startedAtMs: number, { fromMs, toMs }: CallFilter): boolean {
  return (fromMs === undefined || startedAtMs >= fromMs) && (toMs === undefined || startedAtMs < toMs);
}

/** Whether a lower-case text appears in what is searched of a record. */
export function containsText(
  record: Pick<CallRecord, 'toolName' | 'argumentsText' | 'replyText' | 'requestLine' | 'message'>,
  lowerCase: string,
): boolean {
  return [record.toolName, record.argumentsText, record.replyText, record.requestLine, record.message].some(
    (value) => value?.toLowerCase().includes(lowerCase) === true,
  );
}

const maxSearchLength = 1_000;

/** The filter as a store can look for it: texts as they are stored. Refuses a search text that is too long. */
export function storableFilter(filter: CallFilter): CallFilter {
  if (filter.text !== undefined && filter.text.length > maxSearchLength) {
    throw storageErrors.searchTooLong({ maxLength: maxSearchLength });
  }
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      typeof value === 'string' ? storable(value) : (value as unknown),
    ]),
  );
}
