import { mergeEvaluated, report, trySchema } from './check-state.ts';
import type { Check, Evaluated } from './check-state.ts';

type Schema = Record<string, unknown>;

/** `allOf`, `anyOf`, `oneOf`, `not` and `if`. */
export function checkCombined(
  check: Check,
  schema: Schema,
  value: unknown,
  path: string,
  evaluated: Evaluated,
): void {
  for (const part of listOf(schema['allOf']))
    mergeEvaluated(evaluated, check.apply(check, part, value, path));
  checkAnyOf(check, schema, value, path, evaluated);
  checkOneOf(check, schema, value, path, evaluated);
  if (schema['not'] !== undefined && trySchema(check, schema['not'], value, path).fits) {
    report(check, path, 'not', 'must NOT be valid');
  }
  checkIf(check, schema, value, path, evaluated);
}

function checkAnyOf(check: Check, schema: Schema, value: unknown, path: string, evaluated: Evaluated): void {
  const options = listOf(schema['anyOf']);
  if (options.length === 0) return;
  const tried = options.map((option) => trySchema(check, option, value, path));
  const fitting = tried.filter((option) => option.fits);
  for (const option of fitting) mergeEvaluated(evaluated, option.evaluated);
  if (fitting.length > 0) return;
  check.findings.push(...tried.flatMap((option) => option.findings));
  report(check, path, 'anyOf', 'must match a schema in anyOf');
}

function checkOneOf(check: Check, schema: Schema, value: unknown, path: string, evaluated: Evaluated): void {
  const options = listOf(schema['oneOf']);
  if (options.length === 0) return;
  const tried = options.map((option) => trySchema(check, option, value, path));
  const fitting = tried.filter((option) => option.fits);
  if (fitting.length === 1) {
    mergeEvaluated(evaluated, (fitting[0] as (typeof fitting)[number]).evaluated);
    return;
  }
  if (fitting.length === 0) check.findings.push(...tried.flatMap((option) => option.findings));
  report(check, path, 'oneOf', 'must match exactly one schema in oneOf', fitting.length);
}

function checkIf(check: Check, schema: Schema, value: unknown, path: string, evaluated: Evaluated): void {
  if (schema['if'] === undefined) return;
  const condition = trySchema(check, schema['if'], value, path);
  if (condition.fits) mergeEvaluated(evaluated, condition.evaluated);
  const branch = condition.fits ? 'then' : 'else';
  if (schema[branch] === undefined) return;
  const before = check.findings.length;
  mergeEvaluated(evaluated, check.apply(check, schema[branch], value, path));
  if (check.findings.length > before) report(check, path, 'if', `must match "${branch}" schema`, branch);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
