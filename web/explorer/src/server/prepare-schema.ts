import { isObject, nestsDeeperThan } from '../schema/json-values.ts';

/** The keyword `compile-with-ajv` counts work with; its value is the cost of one evaluation. */
export const workKeyword = 'x-handrail-work';

const maxSchemaCharacters = 1_000_000;
const maxSchemaDepth = 256;
const holdsValues = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'required',
  'dependentRequired',
  '$vocabulary',
  workKeyword,
]);
const holdsSchemasByName = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** A schema as text: the cache key, and proof that it is a finite JSON document. */
export function schemaText(schema: unknown): string {
  const text = JSON.stringify(schema);
  if (typeof text !== 'string') throw new TypeError('the schema is not JSON');
  if (text.length > maxSchemaCharacters) {
    throw new TypeError(`the schema is larger than ${maxSchemaCharacters} characters`);
  }
  return text;
}

/** Parses a schema, unless it nests too deeply. */
export function parseSchema(text: string): unknown {
  const schema = JSON.parse(text) as unknown;
  if (nestsDeeperThan(schema, maxSchemaDepth)) {
    throw new TypeError(`the schema is nested deeper than ${maxSchemaDepth} levels`);
  }
  return schema;
}

/**
 * Changes a parsed schema in place so that Ajv handles it predictably: every subschema counts its work. Removed are
 * `$schema` below the root, `$async` (which would make every value "valid", as a promise), `id`, and `nullable`
 * without `type` (on which Ajv throws, although the standard says to ignore them).
 */
export function prepareForAjv(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  for (const [keyword, value] of Object.entries(schema)) {
    if (holdsValues.has(keyword)) continue;
    if (holdsSchemasByName.has(keyword) && isObject(value)) Object.values(value).forEach(prepareForAjv);
    else if (Array.isArray(value)) value.forEach(prepareForAjv);
    else prepareForAjv(value);
  }
  // Only plain values: an object under such a name is a definition that a reference may point to.
  for (const keyword of ['$schema', '$async', 'id']) {
    if (!isObject(schema[keyword])) delete schema[keyword];
  }
  if (schema['type'] === undefined && !isObject(schema['nullable'])) delete schema['nullable'];
  schema[workKeyword] = costOf(schema);
  return schema;
}

function costOf(schema: Record<string, unknown>): number {
  const choices = Array.isArray(schema['enum']) ? schema['enum'].length : 0;
  const required = Array.isArray(schema['required']) ? schema['required'].length : 0;
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']).length : 0;
  return 1 + choices + required + properties;
}
