import type { QueryOf, RouteAt } from '../../api/routes.ts';

/** What the calls are narrowed to, as it stands in the address. */
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

/** How far back, by name. */
export const rangesMs: Readonly<Record<string, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
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

/** The filter as the admin API wants it; a range becomes the moment it begins, on whole minutes so that it stays the same question. */
export function queryOf(
  { range, ...filter }: CallFilter,
  nowMs: number,
): Omit<NonNullable<QueryOf<RouteAt<'GET', '/calls'>>>, 'limit' | 'cursor'> {
  const backMs = range === undefined ? undefined : rangesMs[range];
  if (backMs === undefined || filter.from !== undefined) return filter;
  return { ...filter, from: new Date(Math.floor((nowMs - backMs) / 60_000) * 60_000).toISOString() };
}

/** How many calls are read at a time. */
export const onePage = { limit: 100 };

/** What the page asks first. */
export const firstCallsQuery = (search: URLSearchParams, nowMs: number) => ({
  ...queryOf(readFilter(search), nowMs),
  ...onePage,
});

/** A moment as a `datetime-local` field shows it, in the time zone of whoever looks. */
export function toLocalField(moment: string | undefined): string {
  if (moment === undefined) return '';
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What was entered in a `datetime-local` field, as a moment. */
export function fromLocalField(text: string): string | undefined {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The address of the calls of some points of a chart, from the first to the last. */
export function callsBetween(first: string, last: string, stepMs: number, more: CallFilter = {}): string {
  const to = new Date(Date.parse(last) + stepMs).toISOString();
  return `/calls?${writeFilter({ ...more, from: first, to }).toString()}`;
}
