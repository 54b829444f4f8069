import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { WorkBudget } from '../schema/budget.ts';
import { knownTypes } from '../schema/check-scalar.ts';
import { checkValue } from '../schema/check-value.ts';
import { findSchema } from '../schema/find-schema.ts';
import { isObject } from '../schema/json-values.ts';
import { compilePattern } from '../schema/pattern.ts';
import type { FormatCheck } from '../schema/check-state.ts';
import type { Validator } from './compile-with-ajv.ts';

/**
 * The validator for runtimes that forbid generating code (Cloudflare Workers and others), where Ajv can't compile. It
 * is the page's walker with the formats of ajv-formats.
 */
export function compileWithoutCode(schema: unknown, budget: WorkBudget): Validator {
  const check: Validator = (value) => {
    budget.restart();
    return checkValue(schema, value, { formats, budget }).map(({ path, message, keyword }) => ({
      path,
      message,
      keyword,
    }));
  };
  assertUsable(schema, schema, budget);
  return check;
}

const holdsSchemasByName = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Finds whatever makes a schema unusable, in any part of it, before a value gets there. */
function assertUsable(schema: unknown, root: unknown, budget: WorkBudget): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) throw new TypeError('a schema must be an object or a boolean');
  const { type, pattern, patternProperties, $ref } = schema;
  const unknown = [type ?? []].flat().find((name) => !knownTypes.includes(name as string));
  if (unknown !== undefined) throw new TypeError(`${JSON.stringify(unknown)} is not a type`);
  for (const [kind, { keywords, fits }] of Object.entries(wantedValues)) {
    const wrong = keywords.find((keyword) => schema[keyword] !== undefined && !fits(schema[keyword]));
    if (wrong !== undefined) throw new TypeError(`${wrong} must be ${kind}`);
  }
  const patterns = [pattern ?? [], Object.keys(patternProperties ?? {})].flat() as string[];
  for (const source of patterns) compilePattern(source, budget);
  if (typeof $ref === 'string') findSchema(root, $ref);
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== 'object' || value === null) continue;
    if (holdsSchemasByName.has(keyword))
      for (const part of Object.values(value)) assertUsable(part, root, budget);
    else if (holdsSchemas.has(keyword)) for (const part of [value].flat()) assertUsable(part, root, budget);
  }
}

/** The type of value each keyword requires, according to the meta-schema. */
const wantedValues: Record<string, { keywords: string[]; fits: (value: unknown) => boolean }> = {
  number: {
    keywords: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    fits: (value) => typeof value === 'number',
  },
  'a count': {
    keywords:
      'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'.split(' '),
    fits: (value) => Number.isInteger(value) && (value as number) >= 0,
  },
  array: { keywords: ['enum', 'required', 'allOf', 'anyOf', 'oneOf', 'prefixItems'], fits: Array.isArray },
  object: {
    keywords: [
      'properties',
      'patternProperties',
      'dependentSchemas',
      'dependentRequired',
      '$defs',
      'definitions',
    ],
    fits: isObject,
  },
  string: { keywords: ['pattern', 'format', '$ref'], fits: (value) => typeof value === 'string' },
  boolean: { keywords: ['uniqueItems'], fits: (value) => typeof value === 'boolean' },
};

const holdsSchemas = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

const formats: ReadonlyMap<string, FormatCheck> = new Map(
  Object.entries(fullFormats).flatMap(([name, format]) => {
    const check = toCheck(format);
    return check === null ? [] : [[name, check] as const];
  }),
);

function toCheck(format: unknown): FormatCheck | null {
  if (format === true) return () => true;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => Boolean((format as (text: string) => unknown)(text));
  const definition = format as { type?: string; validate?: unknown };
  return definition.type === 'number' ? null : toCheck(definition.validate);
}
