import { fieldOf } from './plain-object.ts';

/** Whether two JSON values are equal, ignoring the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, i) => sameJson(value, b[i]))
    );
  }
  const entries = presentEntries(a);
  if (entries.length !== presentEntries(b).length) return false;
  return entries.every(([key, value]) => Object.hasOwn(b, key) && sameJson(value, fieldOf(b, key)));
}

// A key whose value is undefined counts as missing, as in JSON text.
function presentEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, inner]) => inner !== undefined);
}
