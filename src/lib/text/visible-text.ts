import { isObject } from '../json/plain-object.ts';

// Characters that a reader does not see, or that turn around what is read. Tabs and line ends stay.
const unseen = /(?![\n\t\r])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A value without characters that nobody sees; the very same where it has none. */
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(unseen, '');
  if (Array.isArray(value)) {
    const items = value.map(visible);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, visible(inner)] as const);
  return entries.every(([key, inner]) => inner === value[key]) ? value : Object.fromEntries(entries);
}
