import { urlFor } from './url-for.ts';

/** A request a page sends first, and how it reads the reply. */
export interface InitialRequest {
  readonly read: 'one' | 'paged' | 'whole';
  readonly path: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** The page size limit of the gateway. */
export const maxPageSize = { limit: 500 };

/** The URL of an initial request. */
export function initialRequestUrl({ read, path, params, query }: InitialRequest): string {
  return `/api/v1${urlFor(path, params, read === 'whole' ? { ...query, ...maxPageSize } : query)}`;
}
