import type { JsonSchema } from '../domain/json-schema.ts';
import { arrayOr, isObject, objectOr } from '../lib/json/plain-object.ts';

const refPrefix = '#/$defs/';
const maxDepth = 4;

/**
 * Arguments for an example call: the schema's own examples, and values of the right type for what is required.
 * Undefined if a required value can't be made up.
 */
export function exampleArguments(schema: JsonSchema): Readonly<Record<string, unknown>> | undefined {
  const value = exampleOf({ ...schema, type: 'object' }, objectOr(schema['$defs']), 0);
  return isObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

function exampleOf(node: unknown, defs: JsonSchema, depth: number): unknown {
  if (!isObject(node) || depth > maxDepth) return undefined;
  const given = givenExample(node);
  if (given !== undefined) return given;
  const { $ref, type, properties, items, anyOf, oneOf, allOf } = node;
  if (typeof $ref === 'string' && $ref.startsWith(refPrefix))
    return exampleOf(defs[$ref.slice(refPrefix.length)], defs, depth + 1);
  const branches = [oneOf, anyOf, allOf].find((list) => Array.isArray(list));
  if (branches !== undefined && properties === undefined)
    return exampleOf(arrayOr(branches)[0], defs, depth + 1);
  const kind = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (kind === 'object' || properties !== undefined) return exampleObject(node, defs, depth);
  if (kind === 'array') {
    const item = exampleOf(items, defs, depth + 1);
    return item === undefined ? [] : [item];
  }
  return byType[String(kind)];
}

const byType: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true };

function exampleObject(node: JsonSchema, defs: JsonSchema, depth: number): Record<string, unknown> {
  const required = new Set(arrayOr(node['required']));
  const value: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(objectOr(node['properties']))) {
    const example = required.has(name) ? exampleOf(inner, defs, depth + 1) : givenExample(inner);
    if (example !== undefined) value[name] = example;
  }
  return value;
}

/** The example that a schema gives itself. */
function givenExample(schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  const { const: only, examples, example, default: byDefault, enum: values } = schema;
  if (only !== undefined) return only;
  const [first] = arrayOr(examples);
  return first !== undefined ? first : (example ?? byDefault ?? arrayOr(values)[0]);
}
