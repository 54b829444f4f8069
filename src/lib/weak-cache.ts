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

const isOff = globalThis.process?.env['HANDRAIL_TEST_NO_CACHE'] === '1';
