import type { JsonSchema } from '../../domain/json-schema.ts';
import { isObject, objectOr, arrayOr } from '../../lib/json/plain-object.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { hiddenFrom, hiddenTogether, rememberHidden, withoutRequiring } from './hidden-properties.ts';

const describing = new Set(['title', 'description', 'default', 'examples', 'deprecated']);
// These depend on the properties next to them, so merging parts would change their meaning.
const contextual = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'unevaluatedItems',
  'if',
  'then',
  'else',
  'prefixItems',
  'items',
  'contains',
]);

/** Merges schemas into an equivalent one; those that cannot be merged without loss stay in `allOf`. */
export function mergeAllOf(parts: readonly JsonSchema[]): JsonSchema {
  let merged: Record<string, unknown> = {};
  const rest: JsonSchema[] = [];
  const removed = new Set<string>();
  for (const part of parts) {
    for (const name of hiddenFrom(part)) removed.add(name);
    const next = mergeTwo(merged, part);
    if (next) merged = next;
    else rest.push(part);
  }
  // A part that only describes belongs to the whole, not in the list.
  const inner = Array.isArray(merged['allOf']) ? merged['allOf'] : [];
  const whole = rest.length === 0 ? merged : { ...merged, allOf: [...inner, ...rest] };
  rememberHidden(whole, removed);
  return withoutRequiring(whole, hiddenTogether(whole), () => null);
}

function mergeTwo(a: Record<string, unknown>, b: JsonSchema): Record<string, unknown> | null {
  const aEmpty = Object.keys(a).every((key) => describing.has(key));
  const bEmpty = Object.keys(b).every((key) => describing.has(key));
  if (!aEmpty && !bEmpty) {
    for (const key of Object.keys(a))
      if (contextual.has(key) && !(key === 'additionalProperties' && a[key] === true)) return null;
    for (const key of Object.keys(b))
      if (contextual.has(key) && !(key === 'additionalProperties' && b[key] === true)) return null;
    if (a['$ref'] !== undefined || b['$ref'] !== undefined) {
      // `$ref` next to other keywords is one more part; two of them cannot be in one schema.
      if (a['$ref'] !== undefined && b['$ref'] !== undefined) return null;
    }
  }
  const out: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (!Object.hasOwn(out, key) || describing.has(key)) {
      out[key] = value;
    } else if (key === 'properties' && isObject(out[key]) && isObject(value)) {
      out[key] = mergeProperties(out[key], value);
    } else if (key === 'required' && Array.isArray(out[key]) && Array.isArray(value)) {
      out[key] = [...new Set([...(out[key] as unknown[]), ...value])];
    } else if (key === 'allOf' && Array.isArray(out[key]) && Array.isArray(value)) {
      out[key] = [...(out[key] as unknown[]), ...value];
    } else if (!sameJson(out[key], value)) {
      return null;
    }
  }
  return out;
}

function mergeProperties(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const out: Record<string, unknown> = { ...a };
  for (const [name, schema] of Object.entries(b)) {
    if (!Object.hasOwn(out, name) || sameJson(out[name], schema)) out[name] = schema;
    else out[name] = mergeAllOf([objectOr(out[name]), objectOr(schema)]);
  }
  return out;
}

/**
 * The parts of an `allOf`, with those opened that would reject properties of another part: `additionalProperties: false`
 * only considers its own part, and two closed parts with different properties allow no value. What is meant is that the
 * whole has no others. `open` resolves a reference; null if nothing had to be opened.
 */
export function openClosedParts(
  parts: readonly JsonSchema[],
  open: (ref: string) => JsonSchema | null,
): JsonSchema[] | null {
  const whole = parts.map((part) => {
    const ref = part['$ref'];
    return (typeof ref === 'string' && open(ref)) || part;
  });
  const named = whole.map((part) => namesOf(part, open, 4));
  let changed = false;
  const opened = whole.map((part, i) => {
    const own = named[i]!;
    if (part['additionalProperties'] !== false || part['patternProperties'] !== undefined) return parts[i]!;
    if (!named.some((names, j) => j !== i && [...names].some((name) => !own.has(name)))) return parts[i]!;
    changed = true;
    const { additionalProperties: _closed, ...rest } = part;
    return rest;
  });
  return changed ? opened : null;
}

// The properties that a part names, including those of its own parts.
function namesOf(schema: JsonSchema, open: (ref: string) => JsonSchema | null, depth: number): Set<string> {
  const names = new Set(Object.keys(objectOr(schema['properties'])));
  if (depth === 0) return names;
  const ref = schema['$ref'];
  const target = typeof ref === 'string' ? open(ref) : null;
  const inner = [...arrayOr(schema['allOf']), ...arrayOr(schema['oneOf']), ...arrayOr(schema['anyOf'])];
  for (const part of [...inner, target])
    if (isObject(part)) for (const name of namesOf(part, open, depth - 1)) names.add(name);
  return names;
}
