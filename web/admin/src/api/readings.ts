import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { type AnyInput, requestAny } from './client.ts';
import { type InitialRequest, largestPage } from './initial-request.ts';

type Query = Readonly<Record<string, unknown>>;

/** How the answer of a route is read and kept. */
export const oneReading = (path: string, { params, query }: AnyInput) =>
  queryOptions({
    queryKey: [path, params, query],
    queryFn: ({ signal }) => requestAny('GET', path, { params, query, signal }),
  });

interface ListPage {
  readonly items: unknown[];
  readonly nextCursor: string | null;
}

/** How a list is read page by page. */
export const pagedReading = (path: string, query: Query) =>
  infiniteQueryOptions({
    queryKey: [path, 'pages', query],
    queryFn: ({ pageParam, signal }) =>
      requestAny('GET', path, { query: { ...query, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: (last) => (last as ListPage).nextCursor ?? undefined,
  });

/** How every page of a list is read. */
export const wholeReading = (path: string, query: Query) =>
  queryOptions({
    queryKey: [path, 'all', query],
    queryFn: async ({ signal }) => {
      const items: unknown[] = [];
      let cursor: string | null = null;
      do {
        const page = (await requestAny('GET', path, {
          query: { ...query, ...largestPage, ...(cursor !== null && { cursor }) },
          signal,
        })) as ListPage;
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return items;
    },
  });

/** Reads what a page will ask before it is drawn. */
export function readAhead(queries: QueryClient, { read, path, params, query }: InitialRequest): void {
  if (read === 'one') void queries.prefetchQuery(oneReading(path, { params, query }));
  else if (read === 'whole') void queries.prefetchQuery(wholeReading(path, query ?? {}));
  else void queries.prefetchInfiniteQuery(pagedReading(path, query ?? {}));
}
