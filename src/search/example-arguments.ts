import type { JsonSchema } from '../domain/json-schema.ts';

const refPrefix = '#/$defs/';
const maxDepth = 4;

/**
 * Arguments as a call could have them: what the schema gives as examples, and values of the right type where something
 * is required. Undefined when nothing can be given.
 */
export function exampleArguments(schema: JsonSchema): Readonly<Record<string, unknown>> | undefined {
  const defs = schema['$defs'] as JsonSchema | undefined;
  const value = exampleOf({ ...schema, type: 'object' }, defs, 0);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? (value as Record<string, unknown>)
    : undefined;
}

function exampleOf(schema: unknown, defs: JsonSchema | undefined, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || depth > maxDepth) return undefined;
  const node = schema as JsonSchema;
  const given = givenExample(node);
  if (given !== undefined) return given;
  const { $ref, type, properties, items, anyOf, oneOf, allOf } = node;
  if (typeof $ref === 'string' && $ref.startsWith(refPrefix))
    return exampleOf(defs?.[$ref.slice(refPrefix.length)], defs, depth + 1);
  const branch = [oneOf, anyOf, allOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (branch && properties === undefined) return exampleOf(branch[0], defs, depth + 1);
  const kind = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (kind === 'object' || properties !== undefined) return exampleObject(node, defs, depth);
  if (kind === 'array') {
    const item = exampleOf(items, defs, depth + 1);
    return item === undefined ? [] : [item];
  }
  return byType[String(kind)];
}

const byType: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true };

function exampleObject(
  node: JsonSchema,
  defs: JsonSchema | undefined,
  depth: number,
): Record<string, unknown> {
  const required = new Set(Array.isArray(node['required']) ? (node['required'] as unknown[]) : []);
  const value: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries((node['properties'] ?? {}) as JsonSchema)) {
    const example = required.has(name) ? exampleOf(inner, defs, depth + 1) : givenExample(inner);
    if (example !== undefined) value[name] = example;
  }
  return value;
}

/** What a schema itself gives for an example. */
function givenExample(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { const: only, examples, example, default: byDefault, enum: values } = schema as JsonSchema;
  if (only !== undefined) return only;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  return example ?? byDefault ?? (Array.isArray(values) ? (values[0] as unknown) : undefined);
}
