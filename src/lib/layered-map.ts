const gone = Symbol('gone');

/**
 * A map that can be forked cheaply: forks share one large map and keep their differences in a small one.
 * Changing a fork doesn't change the map it was forked from. Values are never undefined.
 */
export class LayeredMap<K, V> implements ReadonlyMap<K, V> {
  readonly #base: ReadonlyMap<K, V>;
  readonly #changes: Map<K, V | typeof gone>;
  #size: number;

  private constructor(base: ReadonlyMap<K, V>, changes: Map<K, V | typeof gone>, size: number) {
    this.#base = base;
    this.#changes = changes;
    this.#size = size;
  }

  static of<K, V>(entries: Iterable<readonly [K, V]> = []): LayeredMap<K, V> {
    const base = new Map(entries);
    return new LayeredMap(base, new Map(), base.size);
  }

  /** Forks a layered map, or makes a layered copy of any other map. */
  static forkOf<K, V>(map: ReadonlyMap<K, V>): LayeredMap<K, V> {
    return map instanceof LayeredMap ? map.fork() : LayeredMap.of(map);
  }

  /** An independent map with the same entries. Costs as much as what changed since the large map was made. */
  fork(): LayeredMap<K, V> {
    if (this.#changes.size > 32 + this.#base.size / 16) return LayeredMap.of(this);
    return new LayeredMap(this.#base, new Map(this.#changes), this.#size);
  }

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    const changed = this.#changes.get(key);
    if (changed === undefined) return this.#base.get(key);
    return changed === gone ? undefined : changed;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): this {
    if (!this.has(key)) this.#size++;
    this.#changes.set(key, value);
    return this;
  }

  delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.#size--;
    if (this.#base.has(key)) this.#changes.set(key, gone);
    else this.#changes.delete(key);
    return true;
  }

  /** In the order in which keys were first set. */
  *[Symbol.iterator](): MapIterator<[K, V]> {
    for (const [key, value] of this.#base) {
      const changed = this.#changes.get(key);
      if (changed === undefined) yield [key, value];
      else if (changed !== gone) yield [key, changed];
    }
    for (const [key, value] of this.#changes) {
      if (value !== gone && !this.#base.has(key)) yield [key, value];
    }
  }

  entries(): MapIterator<[K, V]> {
    return this[Symbol.iterator]();
  }

  *keys(): MapIterator<K> {
    for (const [key] of this) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this) yield value;
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }
}
