/** An object as JSON and YAML readers make it. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object with keys: neither null nor an array. */
export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else an empty one: for optional parts of a document. */
export function objectOr(value: unknown): PlainObject {
  return isObject(value) ? value : {};
}

/** The value when it is an array, else an empty one. */
export function arrayOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list, without anything else that stands in it. */
export function textsIn(value: unknown): string[] {
  return arrayOr(value).filter((item) => typeof item === 'string');
}

/** What an object or array has under a key. */
export function fieldOf(holder: object, key: string | number): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever it holds is unknown
  return (holder as Readonly<Record<string | number, unknown>>)[key];
}

/** Gives an object or array a value under a key. */
export function setField(holder: object, key: string | number, value: unknown): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- for what a reader made, which may hold anything
  (holder as Record<string | number, unknown>)[key] = value;
}

/** The value when it is a string that is not empty. */
export function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A scalar as text; anything else, which a document should not hold there, as nothing. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** The keys of a table of ours, typed. Not for objects from elsewhere, which may have others. */
export function keysOf<T extends object>(table: T): (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot know that a table has no other keys
  return Object.keys(table) as (keyof T & string)[];
}
