import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { type AnyInput, requestAny } from './client.ts';
import { type InitialRequest, maxPageSize } from './initial-request.ts';

type Query = Readonly<Record<string, unknown>>;

/** How a single reply is fetched and cached. */
export const singleQuery = (path: string, { params, query }: AnyInput) =>
  queryOptions({
    queryKey: [path, params, query],
    queryFn: ({ signal }) => requestAny('GET', path, { params, query, signal }),
  });

interface ListPage {
  readonly items: unknown[];
  readonly nextCursor: string | null;
}

/** How a list is fetched page by page. */
export const pagedQuery = (path: string, query: Query) =>
  infiniteQueryOptions({
    queryKey: [path, 'pages', query],
    queryFn: ({ pageParam, signal }) =>
      requestAny('GET', path, { query: { ...query, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: (last) => (last as ListPage).nextCursor ?? undefined,
  });

/** How all pages of a list are fetched. */
export const allPagesQuery = (path: string, query: Query) =>
  queryOptions({
    queryKey: [path, 'all', query],
    queryFn: async ({ signal }) => {
      const items: unknown[] = [];
      let cursor: string | null = null;
      do {
        const page = (await requestAny('GET', path, {
          query: { ...query, ...maxPageSize, ...(cursor !== null && { cursor }) },
          signal,
        })) as ListPage;
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return items;
    },
  });

/** Starts fetching what a page needs before it renders. */
export function prefetch(queries: QueryClient, { read, path, params, query }: InitialRequest): void {
  if (read === 'one') void queries.prefetchQuery(singleQuery(path, { params, query }));
  else if (read === 'whole') void queries.prefetchQuery(allPagesQuery(path, query ?? {}));
  else void queries.prefetchInfiniteQuery(pagedQuery(path, query ?? {}));
}
