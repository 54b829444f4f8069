const gone = Symbol('gone');

type Layer<K, V> = ReadonlyMap<K, V | typeof gone>;

// A fork copies the newest changes: what it costs doesn't grow with the map.
const maxNewest = 64;
const emptyLayer: ReadonlyMap<never, never> = new Map<never, never>();

/**
 * A map that can be forked cheaply: forks share one large map and a smaller one of earlier changes, and keep their newest
 * changes in a small one. Changing a fork doesn't change the map it was forked from. Values are never undefined.
 */
export class LayeredMap<K, V> implements ReadonlyMap<K, V> {
  readonly #base: ReadonlyMap<K, V>;
  /** Changes since the base, shared with forks. */
  readonly #earlier: Layer<K, V>;
  readonly #newest: Map<K, V | typeof gone>;
  #size: number;

  private constructor(
    base: ReadonlyMap<K, V>,
    earlier: Layer<K, V>,
    newest: Map<K, V | typeof gone>,
    size: number,
  ) {
    this.#base = base;
    this.#earlier = earlier;
    this.#newest = newest;
    this.#size = size;
  }

  static of<K, V>(entries: Iterable<readonly [K, V]> = []): LayeredMap<K, V> {
    const base = new Map(entries);
    return new LayeredMap(base, emptyLayer, new Map(), base.size);
  }

  /** Forks a layered map, or makes a layered copy of any other map. */
  static forkOf<K, V>(map: ReadonlyMap<K, V>): LayeredMap<K, V> {
    return map instanceof LayeredMap ? map.fork() : LayeredMap.of(map);
  }

  /** An independent map with the same entries. Costs as much as the newest changes; now and then, as much as the earlier ones. */
  fork(): LayeredMap<K, V> {
    if (this.#newest.size <= maxNewest)
      return new LayeredMap(this.#base, this.#earlier, new Map(this.#newest), this.#size);
    if (this.#earlier.size + this.#newest.size > 32 + this.#base.size / 16) return LayeredMap.of(this);
    const earlier = new Map(this.#earlier);
    for (const [key, value] of this.#newest) earlier.set(key, value);
    return new LayeredMap(this.#base, earlier, new Map(), this.#size);
  }

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    let changed = this.#newest.get(key);
    if (changed === undefined && this.#earlier.size > 0) changed = this.#earlier.get(key);
    if (changed === undefined) return this.#base.get(key);
    return changed === gone ? undefined : changed;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): this {
    if (!this.has(key)) this.#size++;
    this.#newest.set(key, value);
    return this;
  }

  delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.#size--;
    if (this.#base.has(key) || this.#earlier.has(key)) this.#newest.set(key, gone);
    else this.#newest.delete(key);
    return true;
  }

  /** In the order in which keys were first set. */
  *[Symbol.iterator](): MapIterator<[K, V]> {
    const isPlain = this.#earlier.size === 0 && this.#newest.size === 0;
    for (const [key, value] of this.#base) {
      const known = isPlain ? value : this.get(key);
      if (known !== undefined) yield [key, known];
    }
    for (const key of this.#earlier.keys()) {
      const known = this.#base.has(key) ? undefined : this.get(key);
      if (known !== undefined) yield [key, known];
    }
    for (const [key, value] of this.#newest) {
      if (value !== gone && !this.#base.has(key) && !this.#earlier.has(key)) yield [key, value];
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
