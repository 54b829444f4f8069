import type { JsonSchema } from '../domain/json-schema.ts';

// Real replies depart from their documents: a field missing, a null, one more enum value. Clients check
// `structuredContent` against the advertised schema and fail the whole call then, so the advertised one keeps the
// shape and the words and lets go of the constraints (docs/decisions/0007-output-schemas.md).
const constraints = new Set([
  'required', 'enum', 'const', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
  'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'additionalProperties',
  'unevaluatedProperties', 'unevaluatedItems', 'dependentRequired', 'dependentSchemas', 'if', 'then', 'else', 'not', 'propertyNames',
  'patternProperties', 'contains', 'minContains', 'maxContains', 'default', 'examples', 'discriminator',
]);

/** The output schema a tool advertises: object-shaped, tolerant of what real replies do. Null when there is none. */
export function relaxOutputSchema(
  schema: JsonSchema | undefined,
  defs: Readonly<Record<string, JsonSchema>> | undefined,
): JsonSchema | null {
  if (schema === undefined || !describesObject(schema, defs, 8)) return null;
  const relaxed = relax(schema) as Record<string, unknown>;
  const used = collectRefs(relaxed, defs ?? {});
  const keptDefs: Record<string, unknown> = {};
  for (const name of used) keptDefs[name] = relax(defs![name]!);
  // A reference at the root is unfolded once: several clients want `type: object` there.
  const root = typeof relaxed['$ref'] === 'string' ? { ...(keptDefs[refName(relaxed['$ref'])!] as object), ...omit(relaxed, '$ref') } : relaxed;
  return { ...root, type: 'object', ...(used.size > 0 && { $defs: keptDefs }) };
}

function describesObject(schema: JsonSchema, defs: Readonly<Record<string, JsonSchema>> | undefined, depth: number): boolean {
  if (depth === 0) return false;
  const name = typeof schema['$ref'] === 'string' ? refName(schema['$ref']) : undefined;
  if (name !== undefined) return defs?.[name] !== undefined && describesObject(defs[name], defs, depth - 1);
  if (schema['type'] === 'object' || schema['properties'] !== undefined) return true;
  const all = schema['allOf'];
  return Array.isArray(all) && all.some((part) => isSchema(part) && describesObject(part, defs, depth - 1));
}

function relax(schema: unknown): unknown {
  if (!isSchema(schema)) return schema;
  const relaxed: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (constraints.has(keyword)) continue;
    if (keyword === 'properties' && isSchema(value)) {
      relaxed[keyword] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, relax(property)]));
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

function collectRefs(schema: unknown, defs: Readonly<Record<string, JsonSchema>>): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
    } else if (isSchema(value)) {
      const name = typeof value['$ref'] === 'string' ? refName(value['$ref']) : undefined;
      if (name !== undefined && defs[name] !== undefined && !found.has(name)) {
        found.add(name);
        visit(relax(defs[name]));
      }
      for (const child of Object.values(value)) visit(child);
    }
  };
  visit(schema);
  return found;
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
