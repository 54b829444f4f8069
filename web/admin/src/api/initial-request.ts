import { addressOf } from './address.ts';

/** What a page requests first, and how it reads the answer. */
export interface InitialRequest {
  readonly read: 'one' | 'paged' | 'whole';
  readonly path: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** The most that the gateway puts on one page of a list. */
export const largestPage = { limit: 500 };

/** Where the first answer comes from. */
export function addressOfInitialRequest({ read, path, params, query }: InitialRequest): string {
  return `/api/v1${addressOf(path, params, read === 'whole' ? { ...query, ...largestPage } : query)}`;
}
