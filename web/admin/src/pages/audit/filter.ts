import type { QueryOf, RouteAt } from '../../api/routes.ts';

/** What the audit log is narrowed to, as it stands in the address. */
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

/** How far back, by name. */
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

/** The filter as the admin API wants it; a range begins on a whole minute so that it stays the same question. */
export function queryOf({ range, ...filter }: AuditFilter, nowMs: number): AuditQuery {
  const backMs = range === undefined ? undefined : rangesMs[range];
  if (backMs === undefined) return filter;
  return { ...filter, from: new Date(Math.floor((nowMs - backMs) / 60_000) * 60_000).toISOString() };
}

/** What the page asks first. */
export const firstAuditQuery = (search: URLSearchParams, nowMs: number) => ({
  limit: 50,
  ...queryOf(readFilter(search), nowMs),
});
