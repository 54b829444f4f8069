export const ranges = ['15m', '1h', '6h', '24h', '7d', '30d', '90d', '1y'] as const;
export const groupings = ['tool', 'server', 'caller', 'client', 'outcome'] as const;
export type Range = (typeof ranges)[number];
export type Grouping = (typeof groupings)[number];

/** What the page shows, read from its URL. */
export function analyticsView(search: URLSearchParams): {
  readonly range: Range;
  readonly by: Grouping;
  readonly name?: string;
} {
  const name = search.get('name');
  return {
    range: ranges.find((entry) => entry === search.get('range')) ?? '24h',
    by: groupings.find((entry) => entry === search.get('by')) ?? 'tool',
    ...(name !== null && { name }),
  };
}
