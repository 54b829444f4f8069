import type { JsonSchema, JsonValue } from '../../../domain/json-schema.ts';
import { sameJson } from '../../../lib/json/same-json.ts';

const maxDepth = 6;

/** A schema that a value fits, from the value alone: its types, nothing about what may be missing. */
export function inferSchema(value: JsonValue, depth = 0): JsonSchema {
  if (value === null || depth >= maxDepth) return {};
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).slice(0, 20).map((item) => inferSchema(item, depth + 1));
    const [first] = items;
    return first !== undefined && items.every((item) => sameJson(item, first))
      ? { type: 'array', items: first }
      : { type: 'array' };
  }
  if (typeof value === 'object') {
    const properties: Record<string, JsonSchema> = {};
    for (const [key, inner] of Object.entries(value))
      if (key !== '__proto__') properties[key] = inferSchema(inner, depth + 1);
    return { type: 'object', properties };
  }
  return { type: typeof value === 'number' ? 'number' : typeof value };
}
