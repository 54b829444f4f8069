import { addressOf } from './address.ts';

/** What a page asks first, and how it reads the answer. */
export interface FirstQuestion {
  readonly read: 'one' | 'paged' | 'whole';
  readonly path: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** The most that the gateway puts on one page of a list. */
export const largestPage = { limit: 500 };

/** Where the first answer comes from. */
export function addressOfQuestion({ read, path, params, query }: FirstQuestion): string {
  return `/api/v1${addressOf(path, params, read === 'whole' ? { ...query, ...largestPage } : query)}`;
}
