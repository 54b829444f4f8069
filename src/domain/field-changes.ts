import { pointerTo } from '../lib/json/json-pointer.ts';
import { isObject } from '../lib/json/plain-object.ts';
import { sameJson } from '../lib/json/same-json.ts';

/** One difference, by JSON Pointer; parameters are named (`/operation/parameters/query limit/schema`), not numbered. */
export interface FieldChange {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The differences between two values, as few and as deep as possible. */
export function diff(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (sameJson(before, after)) return [];
  const a = byName(before, path);
  const b = byName(after, path);
  if (!isObject(a) || !isObject(b)) {
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
  }
  const changes: FieldChange[] = [];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    changes.push(...diff(own(a, key), own(b, key), pointerTo(path, key)));
  }
  if (changes.length === 0 && before !== undefined) return [{ path, before, after }];
  return changes;
}

/** Converts a list of parameters, identified by their place on the wire, to an object with that as keys. */
export function byName(value: unknown, path: string): unknown {
  if (!Array.isArray(value) || !path.endsWith('/parameters')) return value;
  const entries: [string, unknown][] = [];
  for (const entry of value) {
    if (!isObject(entry)) return value;
    entries.push([`${String(entry['in'])} ${String(entry['key'] ?? entry['name'])}`, entry]);
  }
  return new Set(entries.map(([key]) => key)).size === entries.length ? Object.fromEntries(entries) : value;
}

/** The value of an object's own property; undefined if inherited or missing. */
export function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
