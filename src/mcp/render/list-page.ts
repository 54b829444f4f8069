import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

const defaultPageSize = 100;

/**
 * One page of a list. Many clients ignore `nextCursor`, so everything is on the first page unless the operator set a
 * page size; a client that sends a cursor has shown that it can page.
 */
export function page<Item, Key extends string>(
  items: readonly Item[],
  key: Key,
  nameOf: (item: Item) => string,
  cursor: string | undefined,
  pageSize?: number,
): Record<Key, Item[]> & { nextCursor?: string } {
  const start = cursor === undefined ? 0 : positionOf(cursor, items, nameOf);
  const size = pageSize ?? (cursor === undefined ? items.length : defaultPageSize);
  const end = Math.min(items.length, start + Math.max(1, size));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript forgets the name of a computed key
  return {
    [key]: items.slice(start, end),
    ...(end < items.length && { nextCursor: cursorAfter(nameOf(items[end - 1]!)) }),
  } as Record<Key, Item[]> & { nextCursor?: string };
}

// A cursor names what was shown last: a list that changes between two pages moves its places.
function cursorAfter(name: string): string {
  return Buffer.from(`after ${name}`).toString('base64url');
}

function positionOf<Item>(cursor: string, items: readonly Item[], nameOf: (item: Item) => string): number {
  const last = Buffer.from(cursor, 'base64url').toString();
  const at = items.findIndex((item) => `after ${nameOf(item)}` === last);
  if (at !== -1) return at + 1;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Unknown cursor: ask for the list again without one',
  );
}
