import { checkArray } from './check-array.ts';
import { checkCombined } from './check-combined.ts';
import { checkObject } from './check-object.ts';
import { checkNumber, checkString, checkType } from './check-scalar.ts';
import { mergeEvaluated, report } from './check-state.ts';
import type { Check, Evaluated, Finding, FormatCheck } from './check-state.ts';
import { findSchema } from './find-schema.ts';
import { isEqualJson, isObject } from './json-values.ts';
import { compilePattern } from './pattern.ts';
import type { Budget, Pattern } from './pattern.ts';

const maxRefDepth = 200;

/**
 * Validates a value against a schema by walking both: JSON Schema 2020-12, with the older forms of `items`,
 * `dependencies` and `definitions`. It generates no code, so it works where that is forbidden: on pages with a strict
 * policy and in workers. Throws if the schema is unusable. `root` is the document in which references are resolved,
 * if the schema is part of one.
 */
export function checkValue(
  schema: unknown,
  value: unknown,
  options: { formats: ReadonlyMap<string, FormatCheck>; budget: Budget; root?: unknown },
): Finding[] {
  const patterns = new Map<string, Pattern>();
  const check: Check = {
    root: options.root ?? schema,
    formats: options.formats,
    budget: options.budget,
    findings: [],
    refDepth: 0,
    apply: applySchema,
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

function applySchema(check: Check, schema: unknown, value: unknown, path: string): Evaluated {
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
    if (check.refDepth >= maxRefDepth) throw new TypeError(`${keyword} "${reference}" refers to itself`);
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
