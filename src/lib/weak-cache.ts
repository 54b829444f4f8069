/**
 * Remembers values computed from an object for as long as the object lives. Only ever a cache: anything missing
 * is computed again, and every test passes with `HANDRAIL_TEST_NO_CACHE=1`, which makes every lookup miss.
 */
export class WeakCache<Key extends object, Value> {
  readonly #values = new WeakMap<Key, Value>();

  get(key: Key): Value | undefined {
    return isOff ? undefined : this.#values.get(key);
  }

  set(key: Key, value: Value): void {
    this.#values.set(key, value);
  }

  delete(key: Key): void {
    this.#values.delete(key);
  }

  /** The value for a key, computed on first use. */
  of(key: Key, compute: (key: Key) => Value): Value {
    let value = this.get(key);
    if (value === undefined) this.set(key, (value = compute(key)));
    return value;
  }
}

/**
 * Remembers the values of the keys that were used last, between `atLeast` and twice as many of them. Only ever a
 * cache, like the one above.
 */
export class RecentValues<Key, Value> {
  readonly #atLeast: number;
  #recent = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(atLeast: number) {
    this.#atLeast = atLeast;
  }

  get(key: Key): Value | undefined {
    if (isOff) return undefined;
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.#recent.size >= this.#atLeast) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: Key): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  /** The value for a key, computed if it was not used recently. */
  of(key: Key, compute: (key: Key) => Value): Value {
    let value = this.get(key);
    if (value === undefined) this.set(key, (value = compute(key)));
    return value;
  }
}

const isOff = globalThis.process?.env['HANDRAIL_TEST_NO_CACHE'] === '1';
