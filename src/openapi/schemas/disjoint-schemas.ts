import type { JsonSchema } from '../../domain/json-schema.ts';
import { arrayOr, isObject, objectOr } from '../../lib/json/plain-object.ts';
import { sameJson } from '../../lib/json/same-json.ts';

type Open = (ref: string) => JsonSchema | null;

/**
 * Whether it is certain that no value fits both schemas. `open` resolves a reference. Considers types, listed values,
 * bounds, and properties that both require; false only means that it is unknown.
 */
export function areDisjoint(first: JsonSchema, second: JsonSchema, open: Open, depth = 5): boolean {
  if (depth === 0) return false;
  const [a, b] = [opened(first, open), opened(second, open)];
  if (!a || !b) return false;
  const next = (x: JsonSchema, y: JsonSchema): boolean => areDisjoint(x, y, open, depth - 1);
  if (partsOf(a).some((part) => next(part, b)) || partsOf(b).some((part) => next(a, part))) return true;
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const branches = [...arrayOr(one['oneOf']), ...arrayOr(one['anyOf'])].filter(isObject);
    if (branches.length > 0 && branches.every((branch) => next(branch, other))) return true;
  }
  const [aValues, bValues] = [valuesOf(a), valuesOf(b)];
  if (aValues && bValues) return !aValues.some((value) => bValues.some((known) => sameJson(value, known)));
  const [aTypes, bTypes] = [typesOf(a), typesOf(b)];
  if (!aTypes || !bTypes) return false;
  const shared = [...aTypes].filter((type) => bTypes.has(type));
  if (shared.length !== 1) return shared.length === 0;
  switch (shared[0]) {
    case 'object':
      return objectsAreDisjoint(a, b, next);
    case 'string':
      return (
        apart(a, b, 'minLength', 'maxLength') ||
        Boolean(aValues?.every((value) => !fitsLength(value, b))) ||
        Boolean(bValues?.every((value) => !fitsLength(value, a)))
      );
    case 'number':
    case 'fraction':
      return apart(a, b, 'minimum', 'maximum');
    case 'array':
      return apart(a, b, 'minItems', 'maxItems');
    default:
      return false;
  }
}

function opened(schema: JsonSchema, open: Open): JsonSchema | null {
  let current = schema;
  for (let step = 0; step < 8; step++) {
    const ref = current['$ref'];
    if (typeof ref !== 'string') return current;
    const target = open(ref);
    if (!target) return null;
    const { $ref: _ref, ...siblings } = current;
    current = Object.keys(siblings).some((key) => !describing.has(key))
      ? { ...siblings, allOf: [...arrayOr(siblings['allOf']), target] }
      : target;
  }
  return null;
}

const describing = new Set(['title', 'description', 'default', 'examples', 'deprecated']);

function partsOf(schema: JsonSchema): JsonSchema[] {
  return arrayOr(schema['allOf']).filter(isObject);
}

function valuesOf(schema: JsonSchema): readonly unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
}

// A whole number is an `integer` and a `number`; others are a `fraction`, so that sets can be compared.
function typesOf(schema: JsonSchema): Set<string> | null {
  const values = valuesOf(schema);
  if (values) return new Set(values.map(typeOf));
  const { type } = schema;
  if (type === undefined) return null;
  const words = Array.isArray(type) ? (type as unknown[]) : [type];
  return new Set(words.flatMap((word) => (word === 'number' ? ['number', 'fraction'] : [typeWord(word)])));
}

function typeWord(word: unknown): string {
  return word === 'integer' ? 'number' : String(word);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : 'fraction';
  return typeof value;
}

function objectsAreDisjoint(
  a: JsonSchema,
  b: JsonSchema,
  next: (x: JsonSchema, y: JsonSchema) => boolean,
): boolean {
  const [aNames, bNames] = [namesRequired(a), namesRequired(b)];
  const [aProperties, bProperties] = [objectOr(a['properties']), objectOr(b['properties'])];
  if (aNames.some((name) => isClosedTo(name, b)) || bNames.some((name) => isClosedTo(name, a))) return true;
  return aNames.some((name) => {
    const [mine, theirs] = [aProperties[name], bProperties[name]];
    return bNames.includes(name) && isObject(mine) && isObject(theirs) && next(mine, theirs);
  });
}

function namesRequired(schema: JsonSchema): string[] {
  return arrayOr(schema['required']).filter((name): name is string => typeof name === 'string');
}

function isClosedTo(name: string, schema: JsonSchema): boolean {
  return (
    schema['additionalProperties'] === false &&
    schema['patternProperties'] === undefined &&
    !Object.hasOwn(objectOr(schema['properties']), name)
  );
}

function apart(a: JsonSchema, b: JsonSchema, least: string, most: string): boolean {
  const above = (x: JsonSchema, y: JsonSchema): boolean => {
    const [from, to] = [x[least], y[most]];
    return typeof from === 'number' && typeof to === 'number' && from > to;
  };
  return above(a, b) || above(b, a);
}

function fitsLength(value: unknown, schema: JsonSchema): boolean {
  if (typeof value !== 'string') return false;
  const { minLength, maxLength } = schema;
  const length = [...value].length;
  return (
    !(typeof minLength === 'number' && length < minLength) &&
    !(typeof maxLength === 'number' && length > maxLength)
  );
}
