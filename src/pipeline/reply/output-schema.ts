import type { JsonSchema } from '../../domain/json-schema.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

// Real replies deviate from their documents: a field missing, a null, one more enum value. Clients check
// `structuredContent` against the advertised schema and fail the whole call if it does not match, so the advertised
// schema keeps the shape and the descriptions but drops the constraints
// (docs/adr/0018-output-schemas-and-structured-content.md).
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
  'prefixItems',
  'additionalItems',
  'dependencies',
  '$dynamicRef',
  'minContains',
  'maxContains',
  'default',
  'examples',
  'discriminator',
]);

/** What a tool says about the structure of its results. */
export interface AdvertisedOutput {
  readonly schema: JsonSchema;
  /** Replies are lists, placed under `listKey`, because structured content is always an object. */
  readonly wrapped: boolean;
}

/** The key of a list in structured content. */
export const listKey = 'result';

type Defs = Readonly<Record<string, unknown>>;

const maxDepth = 8;

/**
 * The output schema a tool advertises: object-shaped, tolerant of real replies, and always matched by an empty object,
 * which is sent when a reply does not fit. Null if there is none.
 */
export function advertisedOutput(schema: JsonSchema | undefined): AdvertisedOutput | null {
  if (schema === undefined) return null;
  const defs = objectOr(schema['$defs']);
  const root = unfold(schema, defs, maxDepth);
  if (root === null) return null;
  const relaxed = { ...objectOr(relax(omit(root.schema, '$defs'))) };
  const names = Object.keys(defs);
  const relaxedDefs = Object.fromEntries(names.map((name) => [name, relax(defs[name])]));
  return {
    schema: {
      ...(root.isList
        ? { description: `The list that the API sent, as "${listKey}".`, properties: { [listKey]: relaxed } }
        : acceptingHandles(withoutObstacles(relaxed, relaxedDefs))),
      type: 'object',
      ...(names.length > 0 && { $defs: relaxedDefs }),
    },
    wrapped: root.isList,
  };
}

// The structured content of a reply that is too long.
const handleForm: Readonly<Record<string, JsonSchema>> = {
  handle: { type: ['string', 'null'] },
  type: { type: 'string' },
  bytes: { type: 'integer' },
  records: { type: ['integer', 'null'] },
  shape: {},
  preview: {},
};

/** A schema that accepts the reply or a handle for it, even if the reply has fields with the same names. */
function acceptingHandles(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties, allOf, anyOf, ...rest } = schema;
  const own = isSchema(properties) ? properties : {};
  const taking = Object.fromEntries(
    Object.entries(own).map(([name, property]) => {
      const other = Object.hasOwn(handleForm, name) ? handleForm[name] : undefined;
      return [name, other === undefined ? property : { anyOf: [property, other] }];
    }),
  );
  const parts = [allOf === undefined ? null : { allOf }, anyOf === undefined ? null : { anyOf }];
  const others = parts.filter((part) => part !== null);
  return {
    ...rest,
    ...(properties !== undefined && { properties: taking }),
    ...(others.length > 0 && {
      anyOf: [{ allOf: others }, { properties: handleForm, required: ['handle', 'preview'] }],
    }),
  };
}

// Several clients require `type: object` at the root, so a reference there is resolved. Null for anything else.
function unfold(
  schema: JsonSchema,
  defs: Defs,
  depth: number,
): { readonly schema: Record<string, unknown>; readonly isList: boolean } | null {
  const name = typeof schema['$ref'] === 'string' ? refName(schema['$ref']) : undefined;
  if (name !== undefined) {
    const target = defs[name];
    return depth > 0 && isSchema(target) ? unfold(target, defs, depth - 1) : null;
  }
  const { type } = schema;
  if (isType(type, 'array') && !isType(type, 'object')) return { schema: { ...schema }, isList: true };
  if (isType(type, 'object') || schema['properties'] !== undefined)
    return { schema: { ...schema }, isList: false };
  const all = schema['allOf'];
  const isObject =
    Array.isArray(all) &&
    depth > 0 &&
    all.some((part) => isSchema(part) && unfold(part, defs, depth - 1)?.isList === false);
  return isObject ? { schema: { ...schema }, isList: false } : null;
}

function isType(type: unknown, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** The schema without the parts of an `allOf` that no object could match. */
function withoutObstacles(schema: Record<string, unknown>, defs: Defs): Record<string, unknown> {
  if (!Array.isArray(schema['allOf'])) return schema;
  const passing = schema['allOf'].filter((part) => takesObject(part, defs, maxDepth));
  const { allOf: _all, ...rest } = schema;
  return passing.length === 0 ? rest : { ...rest, allOf: passing };
}

function takesObject(schema: unknown, defs: Defs, depth: number): boolean {
  if (!isSchema(schema)) return schema !== false;
  if (depth === 0) return false;
  const { type, $ref, allOf, anyOf } = schema;
  if (type !== undefined && !isType(type, 'object')) return false;
  if (typeof $ref === 'string') {
    const name = refName($ref);
    if (name === undefined || !takesObject(defs[name] ?? false, defs, depth - 1)) return false;
  }
  if (Array.isArray(allOf) && !allOf.every((part) => takesObject(part, defs, depth - 1))) return false;
  return !Array.isArray(anyOf) || anyOf.some((part) => takesObject(part, defs, depth - 1));
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
      // Without their constraints branches overlap, and a reply may fit none of them, so any value passes.
      relaxed['anyOf'] = [...value.map(relax), {}];
    } else if (keyword === 'allOf' && Array.isArray(value)) {
      relaxed[keyword] = value.map(relax);
    } else if (keyword === 'type') {
      relaxed[keyword] = nullable(value);
    } else {
      relaxed[keyword] = value;
    }
  }
  // A reply may contain null where the schema has a reference.
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
