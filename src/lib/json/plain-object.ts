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
