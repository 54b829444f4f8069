import { checkArray } from './check-array.ts';
import { checkCombined } from './check-combined.ts';
import { checkObject } from './check-object.ts';
import { checkNumber, checkString, checkType } from './check-scalar.ts';
import { isEqualJson, isObject } from './json-values.ts';
import type { Budget } from './pattern.ts';
import { compilePattern } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import { findSchema } from './find-schema.ts';

/** One way in which a value does not fit a schema. */
export interface Finding {
  path: string;
  keyword: string;
  message: string;
  /** What the keyword asked for: the limit, the missing property's name, the allowed types. */
  wanted?: unknown;
}

/** What was looked at in an object or array, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  properties: Set<string>;
  items: Set<number>;
}

/** Checks a string; true when it has the format. */
export type FormatCheck = (text: string) => boolean;

/** What one check carries along. */
export interface Check {
  root: unknown;
  formats: ReadonlyMap<string, FormatCheck>;
  budget: Budget;
  pattern(source: string): Pattern;
  findings: Finding[];
  /** How many `$ref`s were followed without going deeper into the value: a cycle never ends. */
  refDepth: number;
}

const maxRefDepth = 200;

/**
 * Checks a value against a schema by walking both: JSON Schema 2020-12, with the older forms of
 * `items`, `dependencies` and `definitions`. It generates no code, so it works where that is
 * forbidden: on pages with a strict policy and in workers. Throws when the schema cannot be used.
 */
export function checkValue(
  schema: unknown,
  value: unknown,
  options: { formats: ReadonlyMap<string, FormatCheck>; budget: Budget },
): Finding[] {
  const patterns = new Map<string, Pattern>();
  const check: Check = {
    root: schema,
    formats: options.formats,
    budget: options.budget,
    findings: [],
    refDepth: 0,
    pattern(source) {
      let compiled = patterns.get(source);
      if (compiled === undefined) {
        compiled = compilePattern(source, options.budget);
        patterns.set(source, compiled);
      }
      return compiled;
    },
  };
  applySchema(check, schema, value, '');
  return check.findings;
}

/** Applies one schema at one place of the value, adds what it finds, and tells what it looked at. */
export function applySchema(check: Check, schema: unknown, value: unknown, path: string): Evaluated {
  check.budget.spend(1);
  const evaluated: Evaluated = { properties: new Set(), items: new Set() };
  if (schema === true || schema === undefined) return evaluated;
  if (schema === false) {
    report(check, path, 'false schema', 'boolean schema is false');
    return evaluated;
  }
  if (!isObject(schema)) throw new TypeError('a schema must be an object or a boolean');
  followReference(check, schema, value, path, evaluated);
  checkType(check, schema, value, path);
  checkChoices(check, schema, value, path);
  if (typeof value === 'number') checkNumber(check, schema, value, path);
  if (typeof value === 'string') checkString(check, schema, value, path);
  checkCombined(check, schema, value, path, evaluated);
  if (Array.isArray(value)) checkArray(check, schema, value, path, evaluated);
  else if (isObject(value)) checkObject(check, schema, value, path, evaluated);
  return evaluated;
}

/** Applies a schema on the side: its findings are counted, not reported. */
export function trySchema(
  check: Check,
  schema: unknown,
  value: unknown,
  path: string,
): { fits: boolean; evaluated: Evaluated; findings: Finding[] } {
  const aside: Check = { ...check, findings: [] };
  const evaluated = applySchema(aside, schema, value, path);
  return { fits: aside.findings.length === 0, evaluated, findings: aside.findings };
}

/** Adds one finding. */
export function report(check: Check, path: string, keyword: string, message: string, wanted?: unknown): void {
  check.findings.push({ path, keyword, message, ...(wanted === undefined ? {} : { wanted }) });
}

/** Adds what a subschema looked at to what its parent looked at. */
export function mergeEvaluated(into: Evaluated, from: Evaluated): void {
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

function followReference(
  check: Check,
  schema: Record<string, unknown>,
  value: unknown,
  path: string,
  evaluated: Evaluated,
): void {
  for (const keyword of ['$ref', '$dynamicRef'] as const) {
    const reference = schema[keyword];
    if (typeof reference !== 'string') continue;
    if (check.refDepth >= maxRefDepth) throw new TypeError(`${keyword} "${reference}" leads back to itself`);
    const deeper: Check = { ...check, refDepth: check.refDepth + 1 };
    mergeEvaluated(evaluated, applySchema(deeper, findSchema(check.root, reference), value, path));
  }
}

function checkChoices(check: Check, schema: Record<string, unknown>, value: unknown, path: string): void {
  const { enum: allowed } = schema;
  if (Array.isArray(allowed)) {
    check.budget.spend(allowed.length);
    if (!allowed.some((choice) => isEqualJson(choice, value))) {
      report(check, path, 'enum', 'must be equal to one of the allowed values', allowed);
    }
  }
  if ('const' in schema && !isEqualJson(schema['const'], value)) {
    report(check, path, 'const', 'must be equal to constant', schema['const']);
  }
}
