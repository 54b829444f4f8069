import { pointerKeys, valueAt } from './json-pointer.ts';
import { isObject, type PlainObject } from './plain-object.ts';

/** A branch of a union, and a name for it. */
export interface Branch {
  readonly schema: PlainObject;
  readonly name: string;
}

const maxBranches = 100;
const deepest = 8;

/** The branches of a union in a schema. */
export function branchesOf(root: PlainObject, union: unknown): readonly Branch[] {
  if (!Array.isArray(union)) return [];
  return union
    .slice(0, maxBranches)
    .filter(isObject)
    .map((schema, index) => ({ schema, name: nameOf(schema, root, index) }));
}

/** The branch that a value was most likely meant for; null if no branch allows the value's type. */
export function closestBranch(root: PlainObject, branches: readonly Branch[], value: unknown): Branch | null {
  let best: Branch | null = null;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const branch of branches) {
    const score = scoreOf(partsOf(branch.schema, root), value);
    if (score > bestScore) [best, bestScore] = [branch, score];
  }
  return bestScore <= otherType ? null : best;
}

/** The types that the branches allow; null if a branch doesn't say. */
export function typesOf(root: PlainObject, branches: readonly Branch[]): string[] | null {
  const types = new Set<string>();
  for (const { schema } of branches) {
    const said = partsOf(schema, root).find((part) => part['type'] !== undefined)?.['type'];
    if (said === undefined) return null;
    for (const type of Array.isArray(said) ? said : [said]) types.add(String(type));
  }
  return [...types];
}

/** The properties each branch requires, if branches say nothing else; otherwise null. */
export function requiredOnly(branches: readonly Branch[]): (readonly string[])[] | null {
  const lists = branches.map(({ schema }) => {
    const says = Object.keys(schema).filter((key) => !/^(?:title|description|x-.*)$/.test(key));
    return says.length === 1 && Array.isArray(schema['required']) ? schema['required'].map(String) : null;
  });
  return lists.every((list) => list !== null) ? lists : null;
}

/** Every schema that a value may be checked against while this one is checked. */
export function reachableFrom(root: PlainObject, schema: unknown): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || found.has(next)) continue;
    found.add(next);
    for (const [key, inner] of Object.entries(next)) {
      if (key === '$ref' && typeof inner === 'string' && inner.startsWith('#'))
        waiting.push(valueAt(root, pointerKeys(inner.slice(1))));
      else if (typeof inner === 'object') waiting.push(inner);
    }
  }
  return found;
}

/** The schemas that apply together: references are followed, `allOf` is flattened. */
function partsOf(schema: unknown, root: PlainObject, depth = deepest): PlainObject[] {
  if (!isObject(schema) || depth === 0) return [];
  const parts = [schema];
  const ref = schema['$ref'];
  if (typeof ref === 'string' && ref.startsWith('#'))
    parts.push(...partsOf(valueAt(root, pointerKeys(ref.slice(1))), root, depth - 1));
  const all = schema['allOf'];
  if (Array.isArray(all)) for (const each of all.slice(0, 20)) parts.push(...partsOf(each, root, depth - 1));
  return parts;
}

const otherType = -1_000;

function scoreOf(parts: readonly PlainObject[], value: unknown): number {
  let score = 0;
  for (const part of parts) {
    if (part['type'] !== undefined && !isOfType(value, part['type'])) return otherType;
    if (!isObject(value)) continue;
    const properties = isObject(part['properties']) ? part['properties'] : {};
    for (const [name, property] of Object.entries(properties)) {
      if (!Object.hasOwn(value, name)) continue;
      // Properties that distinguish the branches count most.
      score += 2 + (isObject(property) ? weightOfConstant(property, value[name]) : 0);
    }
    for (const name of Array.isArray(part['required']) ? (part['required'] as unknown[]) : [])
      score += Object.hasOwn(value, String(name)) ? 5 : -3;
    if (part['additionalProperties'] === false)
      for (const name of Object.keys(value)) if (!Object.hasOwn(properties, name)) score -= 5;
  }
  return score;
}

function weightOfConstant(property: PlainObject, value: unknown): number {
  const allowed = 'const' in property ? [property['const']] : property['enum'];
  if (!Array.isArray(allowed)) return 0;
  return allowed.includes(value) ? 50 : -50;
}

function isOfType(value: unknown, types: unknown): boolean {
  const type =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : typeof value === 'number'
          ? 'number'
          : typeof value;
  const wanted: unknown[] = Array.isArray(types) ? types : [types];
  return wanted.includes(type) || (type === 'number' && wanted.includes('integer'));
}

function nameOf(schema: PlainObject, root: PlainObject, index: number): string {
  const parts = partsOf(schema, root);
  for (const part of parts) {
    if (typeof part['title'] === 'string' && part['title'] !== '') return `"${part['title'].slice(0, 60)}"`;
    const properties = isObject(part['properties']) ? part['properties'] : {};
    for (const [name, property] of Object.entries(properties)) {
      if (!isObject(property)) continue;
      const only = 'const' in property ? [property['const']] : property['enum'];
      if (Array.isArray(only) && only.length === 1 && typeof only[0] === 'string')
        return `${name} ${JSON.stringify(only[0].slice(0, 60))}`;
    }
  }
  const ref = schema['$ref'];
  const [name] = typeof ref === 'string' ? pointerKeys(ref).slice(-1) : [];
  return name === undefined ? `form ${index + 1}` : `"${name.slice(0, 60)}"`;
}
