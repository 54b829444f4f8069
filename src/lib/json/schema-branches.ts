import { isObject, objectOr, type PlainObject } from './plain-object.ts';

const maxDepth = 8;
const refPrefix = '#/$defs/';

/**
 * The schemas that a value can follow: references are looked up in `defs`, unions are split. A schema that
 * can't be resolved is returned unchanged.
 */
export function schemaBranches(schema: unknown, defs: unknown, depth = maxDepth): PlainObject[] {
  if (!isObject(schema)) return [{}];
  const { type, $ref, anyOf, oneOf, allOf } = schema;
  if (type !== undefined || depth === 0) return [schema];
  const follow = (next: unknown) => schemaBranches(next, defs, depth - 1);
  if (typeof $ref === 'string') {
    const known = $ref.startsWith(refPrefix) ? objectOr(defs)[$ref.slice(refPrefix.length)] : {};
    return follow(known);
  }
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return union.flatMap(follow);
  // OpenAPI 3.0 puts a description next to a reference this way.
  if (Array.isArray(allOf) && allOf.length === 1) return follow(allOf[0]);
  return [schema];
}

/** The JSON types that a schema allows; null if it doesn't say. */
export function allowedTypes(schema: unknown, defs: unknown): Set<string> | null {
  const all = new Set<string>();
  for (const { type } of schemaBranches(schema, defs)) {
    if (type === undefined) return null;
    for (const name of Array.isArray(type) ? type : [type]) if (typeof name === 'string') all.add(name);
  }
  return all;
}

/** The values that a schema or its items list, as text, without null. */
export function namedValues(schema: unknown, defs: unknown): string[] {
  const all = schemaBranches(schema, defs).flatMap((branch): unknown[] => {
    if (Array.isArray(branch['enum'])) return branch['enum'];
    if ('const' in branch) return [branch['const']];
    if (branch['type'] === 'boolean') return [true, false];
    return branch['items'] === undefined ? [] : namedValues(branch['items'], defs);
  });
  return [...new Set(all.filter((value) => value !== null).map(String))];
}
