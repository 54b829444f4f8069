import type { JsonSchema } from '../../domain/json-schema.ts';

// Real replies depart from their documents: a field missing, a null, one more enum value. Clients check
// `structuredContent` against the advertised schema and fail the whole call then, so the advertised one keeps the
// shape and the words and lets go of the constraints (docs/decisions/0007-output-schemas.md).
const constraints = new Set([
  'required',
  'enum',
  'const',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentRequired',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'not',
  'propertyNames',
  'patternProperties',
  'contains',
  'minContains',
  'maxContains',
  'default',
  'examples',
  'discriminator',
]);

/** The output schema a tool advertises: object-shaped, tolerant of what real replies do. Null when there is none. */
export function relaxOutputSchema(schema: JsonSchema | undefined): JsonSchema | null {
  if (schema === undefined) return null;
  const defs = isSchema(schema['$defs']) ? (schema['$defs'] as Record<string, JsonSchema>) : {};
  const root = unfold(schema, defs, 8);
  if (root === null) return null;
  const relaxed = relax(omit(root, '$defs')) as Record<string, unknown>;
  const names = Object.keys(defs);
  return {
    ...relaxed,
    type: 'object',
    ...(names.length > 0 && { $defs: Object.fromEntries(names.map((name) => [name, relax(defs[name])])) }),
  };
}

// Several clients want `type: object` at the root itself, so a reference there is followed. Null for anything else.
function unfold(
  schema: JsonSchema,
  defs: Readonly<Record<string, JsonSchema>>,
  depth: number,
): Record<string, unknown> | null {
  const name = typeof schema['$ref'] === 'string' ? refName(schema['$ref']) : undefined;
  if (name !== undefined)
    return depth > 0 && defs[name] !== undefined ? unfold(defs[name], defs, depth - 1) : null;
  if (schema['type'] === 'object' || schema['properties'] !== undefined) return { ...schema };
  const all = schema['allOf'];
  const isObject =
    Array.isArray(all) &&
    depth > 0 &&
    all.some((part) => isSchema(part) && unfold(part, defs, depth - 1) !== null);
  return isObject ? { ...schema } : null;
}

function relax(schema: unknown): unknown {
  if (!isSchema(schema)) return schema;
  const relaxed: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (constraints.has(keyword)) continue;
    if (keyword === 'properties' && isSchema(value)) {
      relaxed[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, relax(property)]),
      );
    } else if (keyword === 'items') {
      relaxed[keyword] = relax(value);
    } else if ((keyword === 'oneOf' || keyword === 'anyOf') && Array.isArray(value)) {
      // Without their constraints branches overlap, and a reply may fit none of them: any value passes.
      relaxed['anyOf'] = [...value.map(relax), {}];
    } else if (keyword === 'allOf' && Array.isArray(value)) {
      relaxed[keyword] = value.map(relax);
    } else if (keyword === 'type') {
      relaxed[keyword] = nullable(value);
    } else {
      relaxed[keyword] = value;
    }
  }
  // A referenced schema may describe something a reply leaves null.
  if (typeof relaxed['$ref'] === 'string') return { anyOf: [relaxed, { type: 'null' }] };
  return relaxed;
}

function nullable(type: unknown): unknown {
  if (Array.isArray(type)) return type.includes('null') ? type : [...(type as unknown[]), 'null'];
  return type === 'null' ? type : [type, 'null'];
}

function refName(ref: string): string | undefined {
  const match = /^#\/\$defs\/(.+)$/.exec(ref);
  return match ? decodeURIComponent(match[1]!).replaceAll('~1', '/').replaceAll('~0', '~') : undefined;
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function omit(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const { [key]: _omitted, ...rest } = value;
  return rest;
}
