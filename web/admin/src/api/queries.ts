import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { type AnyInput, requestAny } from './client.ts';
import { singleQuery, pagedQuery, allPagesQuery } from './query-options.ts';
import type { InputOf, Method, PathOf, QueryOf, ReplyOf, RouteAt } from './routes.ts';

type Get<P extends PathOf<'GET'>> = RouteAt<'GET', P>;

interface ReadOptions<Reply = never> {
  readonly enabled?: boolean;
  /** Refetch interval; may depend on the latest reply. */
  readonly everyMs?: number | ((latest: Reply | undefined) => number | false);
  readonly keep?: boolean;
}

/** Reads a route and keeps the reply fresh. */
export function useGet<P extends PathOf<'GET'>>(
  path: P,
  input: InputOf<Get<P>>,
  { enabled = true, everyMs, keep = false }: ReadOptions<ReplyOf<Get<P>>> = {},
): UseQueryResult<ReplyOf<Get<P>>> {
  return useQuery({
    ...singleQuery(path, input as AnyInput),
    enabled,
    ...(everyMs !== undefined && {
      refetchInterval:
        typeof everyMs === 'number'
          ? everyMs
          : ({ state }: { state: { data: unknown } }) => everyMs(state.data as ReplyOf<Get<P>> | undefined),
    }),
    ...(keep && { placeholderData: keepPreviousData }),
  }) as UseQueryResult<ReplyOf<Get<P>>>;
}

/** A route that returns pages. */
type PagedPath = {
  [P in PathOf<'GET'>]: ReplyOf<Get<P>> extends { items: unknown[]; nextCursor: string | null } ? P : never;
}[PathOf<'GET'>];

type ItemOf<P extends PagedPath> = ReplyOf<Get<P>> extends { items: (infer I)[] } ? I : never;

/** Reads a list page by page. */
export function usePages<P extends PagedPath>(
  path: P,
  query: Omit<NonNullable<QueryOf<Get<P>>>, 'cursor'>,
  { everyMs, enabled = true }: ReadOptions & { readonly everyMs?: number } = {},
) {
  const pages = useInfiniteQuery({
    ...pagedQuery(path, query),
    placeholderData: keepPreviousData,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
  const loaded = pages.data?.pages as unknown as { items: ItemOf<P>[]; total: number }[] | undefined;
  return { ...pages, items: loaded?.flatMap((page) => page.items), total: loaded?.[0]?.total };
}

/** Reads all pages of a list at once, for pickers. */
export function useAll<P extends PagedPath>(
  path: P,
  query: Omit<NonNullable<QueryOf<Get<P>>>, 'cursor' | 'limit'>,
  { enabled = true }: ReadOptions = {},
): UseQueryResult<ItemOf<P>[]> {
  return useQuery({ ...allPagesQuery(path, query), enabled }) as UseQueryResult<ItemOf<P>[]>;
}

/** Makes a change and refreshes whatever depends on it. */
export function useChange<M extends Exclude<Method, 'GET'>, P extends PathOf<M>>(
  method: M,
  path: P,
  refresh: readonly PathOf<'GET'>[] = [],
): UseMutationResult<ReplyOf<RouteAt<M, P>>, Error, InputOf<RouteAt<M, P>>> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<RouteAt<M, P>>) =>
      requestAny(method, path, input as AnyInput) as Promise<ReplyOf<RouteAt<M, P>>>,
    onSuccess: () =>
      Promise.all(refresh.map((key) => queries.invalidateQueries({ queryKey: [key] }))).then(() => undefined),
  });
}
