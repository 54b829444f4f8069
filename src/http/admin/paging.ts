import { adminApiErrors } from '../../domain/error-messages/admin-api.ts';

interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
  readonly total: number;
}

/** One page of rows that are sorted by id; the cursor is the last id of the previous page. */
export function pageById<R extends { readonly id: string }, T>(
  rows: readonly R[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  view: (row: R) => T,
): Page<T> {
  const start = cursor === undefined ? 0 : rows.findIndex((row) => row.id > readCursor(cursor));
  const page = start < 0 ? [] : rows.slice(start, start + limit);
  const more = start >= 0 && start + limit < rows.length;
  return { items: page.map(view), nextCursor: more ? page.at(-1)!.id : null, total: rows.length };
}

/** Checks a cursor: the last id of the previous page. */
export function readCursor(cursor: string): string {
  if (!/^[a-z]+_[0-9A-Z]{26}$/.test(cursor)) throw adminApiErrors.invalidCursor();
  return cursor;
}
