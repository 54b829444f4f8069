/** The keys of a table of ours, typed. Not for objects from elsewhere, which may have others. */
export function keysOf<T extends object>(table: T): (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot know that a table has no other keys
  return Object.keys(table) as (keyof T & string)[];
}
