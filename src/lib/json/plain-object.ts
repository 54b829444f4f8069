/** An object as JSON and YAML parsers return it. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object with keys: not null and not an array. */
export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty object: for optional parts of a document. */
export function objectOr(value: unknown): PlainObject {
  return isObject(value) ? value : {};
}

/** The value if it is an array, otherwise an empty array. */
export function arrayOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The strings in a list; other items are dropped. */
export function textsIn(value: unknown): string[] {
  return arrayOr(value).filter((item) => typeof item === 'string');
}

/** The value of an object or array under a key. */
export function fieldOf(holder: object, key: string | number): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever it holds is unknown
  return (holder as Readonly<Record<string | number, unknown>>)[key];
}

/** Sets a value of an object or array under a key. */
export function setField(holder: object, key: string | number, value: unknown): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- for what a reader made, which may hold anything
  (holder as Record<string | number, unknown>)[key] = value;
}

/** The value if it is a non-empty string. */
export function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A scalar as text. Anything else is out of place in a document and becomes ''. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** The keys of one of our own tables, typed. Not for objects from elsewhere, which may have other keys. */
export function keysOf<T extends object>(table: T): (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot know that a table has no other keys
  return Object.keys(table) as (keyof T & string)[];
}
