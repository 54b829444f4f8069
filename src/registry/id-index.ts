import { LayeredMap } from '../lib/layered-map.ts';

/** The IDs that belong to each of some names, oldest first. */
export type IdIndex = ReadonlyMap<string, readonly string[]>;

/** The IDs that belong to a name; none if there are none. */
export function idsIn(index: IdIndex, name: string): readonly string[] {
  return index.get(name) ?? [];
}

/** Adds an ID that is newer than those that are there, or puts it in its place. */
export function addId(index: LayeredMap<string, readonly string[]>, name: string, id: string): void {
  const known = index.get(name);
  if (known === undefined) index.set(name, [id]);
  else if (!known.includes(id)) index.set(name, [...known, id].sort());
}

export function removeId(index: LayeredMap<string, readonly string[]>, name: string, id: string): void {
  const left = index.get(name)?.filter((other) => other !== id);
  if (left === undefined) return;
  if (left.length === 0) index.delete(name);
  else index.set(name, left);
}

/** Builds an index of rows that are sorted by ID. */
export function indexIds<T extends { readonly id: string }>(
  rows: Iterable<T>,
  namesOf: (row: T) => readonly string[],
): LayeredMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const row of rows) {
    for (const name of namesOf(row)) {
      const known = index.get(name);
      if (known === undefined) index.set(name, [row.id]);
      else if (known.at(-1) !== row.id) known.push(row.id);
    }
  }
  return LayeredMap.of<string, readonly string[]>(index);
}
