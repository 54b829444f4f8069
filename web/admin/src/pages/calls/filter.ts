import type { QueryOf, RouteAt } from '../../api/routes.ts';

/** The filters of the calls page, kept in the URL. */
export type CallFilter = Omit<NonNullable<QueryOf<RouteAt<'GET', '/calls'>>>, 'limit' | 'cursor'> & {
  readonly range?: string;
};

const names = [
  'tool',
  'api',
  'server',
  'caller',
  'client',
  'surface',
  'outcome',
  'status',
  'parent',
  'text',
  'range',
  'from',
  'to',
] as const;

export type FilterName = (typeof names)[number];

/** Time ranges by name. */
export const rangesMs: Readonly<Record<string, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  '90d': 7_776_000_000,
  '1y': 31_536_000_000,
};

export function readFilter(search: URLSearchParams): CallFilter {
  const filter: Record<string, string> = {};
  for (const name of names) {
    const value = search.get(name);
    if (value !== null && value !== '') filter[name] = value;
  }
  return filter;
}

export function writeFilter(filter: CallFilter): URLSearchParams {
  const search = new URLSearchParams();
  for (const name of names) {
    const value = filter[name];
    if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
      search.set(name, `${value}`);
  }
  return search;
}

/**
 * The filter as an admin API query. A range becomes its start time, rounded to the minute so that the query stays the
 * same.
 */
export function queryOf(
  { range, ...filter }: CallFilter,
  nowMs: number,
): Omit<NonNullable<QueryOf<RouteAt<'GET', '/calls'>>>, 'limit' | 'cursor'> {
  const backMs = range === undefined ? undefined : rangesMs[range];
  if (backMs === undefined || filter.from !== undefined) return filter;
  return { ...filter, from: new Date(Math.floor((nowMs - backMs) / 60_000) * 60_000).toISOString() };
}

const counted = ['tool', 'server', 'caller', 'client'] as const;

/**
 * How many calls a filter finds over time, as far as calls are counted: for a range, and by at most one of tool, server,
 * caller and client. Null for any other filter.
 */
export function volumeOf({
  range = '24h',
  ...filter
}: CallFilter): (NonNullable<QueryOf<RouteAt<'GET', '/analytics'>>> & { range: string }) | null {
  const [by, ...others] = names.filter((name) => name !== 'range' && filter[name] !== undefined);
  if (others.length > 0 || !(range in rangesMs)) return null;
  const dimension = counted.find((name) => name === by);
  if (by !== undefined && dimension === undefined) return null;
  return {
    range: range as '24h',
    top: 1,
    ...(dimension && { by: dimension, name: String(filter[dimension]) }),
  };
}

/** Page size. */
export const onePage = { limit: 100 };

/** The first query of the page. */
export const firstCallsQuery = (search: URLSearchParams, nowMs: number) => ({
  ...queryOf(readFilter(search), nowMs),
  ...onePage,
});

/** A time as a `datetime-local` value, in the user's time zone. */
export function toLocalField(moment: string | undefined): string {
  if (moment === undefined) return '';
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A `datetime-local` value as a time. */
export function fromLocalField(text: string): string | undefined {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The URL of the calls between two points of a chart. */
export function callsBetween(first: string, last: string, stepMs: number, more: CallFilter = {}): string {
  const to = new Date(Date.parse(last) + stepMs).toISOString();
  return `/calls?${writeFilter({ ...more, from: first, to }).toString()}`;
}
