import type { z } from 'zod';
import type { CallRecord } from '../../../domain/call.ts';
import { auditEntry } from '../../../registry/audit-entries.ts';
import { missing } from '../../../registry/rules/find-and-revise.ts';
import { purgeCallsBefore } from '../../../calls/retention.ts';
import { matchesFilter } from '../../../storage/matches-filter.ts';
import { csvHeader, csvLine } from '../../../calls/csv.ts';
import type { CallFilter, CallStore } from '../../../storage/ports.ts';
import { callRoutes } from '../../contract/calls.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { eventStream } from '../event-stream.ts';
import { time, viewCall } from '../views.ts';

const exportPage = 500;

/** Listing, following, exporting and deleting recorded calls. */
export function bindCalls({ store, recorder, stopping, now }: AppContext): BoundRoute[] {
  return [
    bind(callRoutes.list, async ({ query }) => {
      // Calls that just finished must be in the list.
      await recorder.flush();
      return listCalls(store.calls, query);
    }),
    bind(callRoutes.tail, ({ query, signal }) => {
      const filter = readFilter(query);
      return eventStream(AbortSignal.any([signal, stopping]), (send) =>
        recorder.onRecord((record) => {
          if (matchesFilter(record, filter)) send('call', viewCall(record));
        }),
      );
    }),
    bind(callRoutes.export, async ({ query }) => {
      await recorder.flush();
      const { format, ...rest } = query;
      const records = allMatching(store.calls, readFilter(rest));
      const day = time(now()).slice(0, 10);
      return {
        type: exportTypes[format],
        fileName: `handrail-calls-${day}.${format}`,
        pieces: written(format, records),
      };
    }),
    bind(callRoutes.purge, async ({ body, actor }) => {
      await recorder.flush();
      // Before anything is deleted, so that no deletion goes unrecorded.
      const subject = { kind: 'call-record', label: `before ${body.before}` };
      await store.audit.add([auditEntry(actor, now(), 'call-record.purge', subject)]);
      return { deleted: await purgeCallsBefore(store.calls, Date.parse(body.before)) };
    }),
    bind(callRoutes.get, async ({ params }) => {
      await recorder.flush();
      return showCall(store.calls, params.call);
    }),
  ];
}

/** A page of recorded calls, as the admin API shows it. */
export async function listCalls(
  calls: CallStore,
  query: z.output<(typeof callRoutes.list)['query']>,
): Promise<z.input<(typeof callRoutes.list)['reply']>> {
  const filter = readFilter(query);
  const page = await calls.find(filter, query.limit, query.cursor);
  const total = await totalOf(calls, filter, page, query.cursor);
  return {
    items: page.calls.map(viewCall),
    nextCursor: page.nextCursor,
    total: total.count,
    totalIsExact: total.exact,
    searchedBackTo: page.searchedBackToMs === null ? null : time(page.searchedBackToMs),
  };
}

/** One recorded call, as the admin API shows it. */
export async function showCall(calls: CallStore, id: string): Promise<ReturnType<typeof viewCall>> {
  return viewCall((await calls.get(id)) ?? missing('call', id));
}

/** Counts the matches, unless this is the only page or finding it already took long. */
async function totalOf(
  calls: CallStore,
  filter: CallFilter,
  page: Awaited<ReturnType<CallStore['find']>>,
  cursor: string | undefined,
): Promise<{ count: number; exact: boolean }> {
  if (page.searchedBackToMs !== null) return { count: page.calls.length, exact: false };
  if (page.nextCursor === null && cursor === undefined) return { count: page.calls.length, exact: true };
  return calls.count(filter);
}

type FilterQuery = Omit<z.output<(typeof callRoutes.list)['query']>, 'limit' | 'cursor'>;

// A tool may also be named `tool_…`; an id continues with exactly 26 characters of Crockford's base 32.
const toolId = /^tool_[0-9A-HJKMNP-TV-Z]{26}$/;

function readFilter(query: FilterQuery): CallFilter {
  return {
    ...(query.tool !== undefined &&
      (toolId.test(query.tool) ? { toolId: query.tool } : { toolName: query.tool })),
    ...(query.api !== undefined && { apiSlug: query.api }),
    ...(query.server !== undefined && { serverSlug: query.server }),
    ...(query.caller !== undefined && { callerId: query.caller }),
    ...(query.client !== undefined && { clientName: query.client }),
    ...(query.surface !== undefined && { surface: query.surface }),
    ...(query.outcome !== undefined && { outcome: query.outcome }),
    ...(query.status !== undefined && { upstreamStatus: query.status }),
    ...(query.from !== undefined && { fromMs: Date.parse(query.from) }),
    ...(query.to !== undefined && { toMs: Date.parse(query.to) }),
    ...(query.text !== undefined && { text: query.text }),
    ...(query.parent !== undefined && { parentId: query.parent }),
  };
}

/** Reads page by page, so that an export of millions needs no more memory than a small one. */
async function* allMatching(calls: CallStore, filter: CallFilter): AsyncGenerator<readonly CallRecord[]> {
  let cursor: string | undefined;
  do {
    const page = await calls.find(filter, exportPage, cursor);
    yield page.calls;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const exportTypes = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;

async function* written(
  format: keyof typeof exportTypes,
  pages: AsyncGenerator<readonly CallRecord[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvHeader;
  if (format === 'json') yield '[';
  let first = true;
  for await (const records of pages) {
    if (records.length === 0) continue;
    if (format === 'csv') {
      yield records.map(csvLine).join('');
    } else if (format === 'ndjson') {
      yield records.map((record) => `${JSON.stringify(viewCall(record))}\n`).join('');
    } else {
      yield (first ? '\n' : ',\n') + records.map((record) => JSON.stringify(viewCall(record))).join(',\n');
    }
    first = false;
  }
  if (format === 'json') yield '\n]\n';
}
