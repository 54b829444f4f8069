import type { JsonSchema } from '../../domain/json-schema.ts';
import { arrayOr, isObject, objectOr } from '../../lib/json/plain-object.ts';

/**
 * The parts of an `allOf` with those opened that would refuse what another part names: `additionalProperties: false` looks
 * at the part it stands in alone, and two closed parts with properties of their own let nothing through. What is meant is
 * that the whole has no others. `open` gives what a part refers to; null when nothing had to be opened.
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

// What a part names, also in what it is made of.
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
