/** Items of several owners that wait: the owner who was served longest ago comes first. */
export interface FairQueue<T> {
  /** Adds an item to the end of its owner's queue, or to the front. */
  add(owner: string, item: T, isFirst?: boolean): void;
  /** Takes the next item that is allowed; undefined if there is none. */
  take(mayTake: (item: T) => boolean): T | undefined;
  remove(owner: string, item: T): boolean;
  readonly size: number;
}

export function createFairQueue<T>(): FairQueue<T> {
  // In the order in which the owners are served.
  const owners = new Map<string, T[]>();
  let size = 0;

  function taken(owner: string, items: T[], at: number): T {
    const [item] = items.splice(at, 1);
    size--;
    owners.delete(owner);
    if (items.length > 0) owners.set(owner, items);
    return item!;
  }

  return {
    add(owner, item, isFirst = false) {
      const items = owners.get(owner);
      if (items === undefined) owners.set(owner, [item]);
      else if (isFirst) items.unshift(item);
      else items.push(item);
      size++;
    },
    take(mayTake) {
      for (const [owner, items] of owners) {
        const at = items.findIndex(mayTake);
        if (at !== -1) return taken(owner, items, at);
      }
      return undefined;
    },
    remove(owner, item) {
      const items = owners.get(owner);
      const at = items?.indexOf(item) ?? -1;
      if (items === undefined || at === -1) return false;
      items.splice(at, 1);
      size--;
      if (items.length === 0) owners.delete(owner);
      return true;
    },
    get size() {
      return size;
    },
  };
}
