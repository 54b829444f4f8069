import type { QueryOf, RouteAt } from '../../api/routes.ts';

/** The filters of the audit log, kept in the URL. */
export interface AuditFilter {
  readonly actor?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly range?: string;
  readonly search?: string;
}

type AuditQuery = Omit<NonNullable<QueryOf<RouteAt<'GET', '/audit'>>>, 'limit' | 'cursor'>;

const names = ['actor', 'kind', 'subject', 'range', 'search'] as const;

const dayMs = 86_400_000;

/** Time ranges by name. */
export const rangesMs: Readonly<Record<string, number>> = {
  '1h': 3_600_000,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '1y': 365 * dayMs,
};

export function readFilter(search: URLSearchParams): AuditFilter {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

export function writeFilter(filter: AuditFilter): URLSearchParams {
  const search = new URLSearchParams();
  for (const name of names) if (filter[name]) search.set(name, filter[name]);
  return search;
}

/** The filter as an admin API query. A range starts on a whole minute, so that the query stays the same. */
export function queryOf({ range, ...filter }: AuditFilter, nowMs: number): AuditQuery {
  const backMs = range === undefined ? undefined : rangesMs[range];
  if (backMs === undefined) return filter;
  return { ...filter, from: new Date(Math.floor((nowMs - backMs) / 60_000) * 60_000).toISOString() };
}

/** The first query of the page. */
export const firstAuditQuery = (search: URLSearchParams, nowMs: number) => ({
  limit: 50,
  ...queryOf(readFilter(search), nowMs),
});
