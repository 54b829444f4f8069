import { applyBelow, mergeEvaluated, report } from './check-state.ts';
import type { Check, Evaluated } from './check-state.ts';
import { isObject, pointerTo } from './json-values.ts';

type Schema = Record<string, unknown>;
type Value = Record<string, unknown>;

/** Object keywords, with `unevaluatedProperties` last. */
export function checkObject(
  check: Check,
  schema: Schema,
  value: Value,
  path: string,
  evaluated: Evaluated,
): void {
  checkSize(check, schema, value, path);
  checkRequired(check, schema, value, path);
  checkDependencies(check, schema, value, path, evaluated);
  checkMembers(check, schema, value, path, evaluated);
  const rest = schema['unevaluatedProperties'];
  if (rest === undefined) return;
  for (const name of Object.keys(value)) {
    if (evaluated.properties.has(name)) continue;
    if (rest === false)
      report(check, path, 'unevaluatedProperties', 'must NOT have unevaluated properties', name);
    else deeper(check, rest, value[name], path, name);
    evaluated.properties.add(name);
  }
}

function checkSize(check: Check, schema: Schema, value: Value, path: string): void {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  if (typeof minProperties === 'number' && count < minProperties) {
    report(
      check,
      path,
      'minProperties',
      `must NOT have fewer than ${minProperties} properties`,
      minProperties,
    );
  }
  if (typeof maxProperties === 'number' && count > maxProperties) {
    report(
      check,
      path,
      'maxProperties',
      `must NOT have more than ${maxProperties} properties`,
      maxProperties,
    );
  }
}

function checkRequired(check: Check, schema: Schema, value: Value, path: string): void {
  const { required } = schema;
  if (!Array.isArray(required)) return;
  for (const name of required as string[]) {
    if (!Object.hasOwn(value, name))
      report(check, path, 'required', `must have required property '${name}'`, name);
  }
}

function checkDependencies(
  check: Check,
  schema: Schema,
  value: Value,
  path: string,
  evaluated: Evaluated,
): void {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependents = schema[keyword];
    if (!isObject(dependents)) continue;
    for (const [trigger, wanted] of Object.entries(dependents)) {
      if (!Object.hasOwn(value, trigger)) continue;
      if (!Array.isArray(wanted)) {
        mergeEvaluated(evaluated, check.apply(check, wanted, value, path));
        continue;
      }
      const plural = wanted.length === 1 ? 'property' : 'properties';
      const message = `must have ${plural} ${wanted.join(', ')} when property ${trigger} is present`;
      for (const name of wanted as string[]) {
        if (!Object.hasOwn(value, name)) report(check, path, keyword, message, name);
      }
    }
  }
}

function checkMembers(check: Check, schema: Schema, value: Value, path: string, evaluated: Evaluated): void {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const patterns = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  const { additionalProperties: rest, propertyNames } = schema;
  for (const name of Object.keys(value)) {
    check.budget.spend(1);
    let known = false;
    if (Object.hasOwn(properties, name)) {
      known = true;
      deeper(check, properties[name], value[name], path, name);
    }
    for (const [source, subschema] of patterns) {
      if (!check.pattern(source).test(name)) continue;
      known = true;
      deeper(check, subschema, value[name], path, name);
    }
    if (!known && rest !== undefined) {
      known = true;
      if (rest === false)
        report(check, path, 'additionalProperties', 'must NOT have additional properties', name);
      else deeper(check, rest, value[name], path, name);
    }
    if (known) evaluated.properties.add(name);
    if (propertyNames !== undefined) checkName(check, propertyNames, name, path);
  }
}

function checkName(check: Check, schema: unknown, name: string, path: string): void {
  const before = check.findings.length;
  applyBelow(check, schema, name, path);
  if (check.findings.length > before)
    report(check, path, 'propertyNames', 'property name must be valid', name);
}

function deeper(check: Check, schema: unknown, member: unknown, path: string, name: string): void {
  applyBelow(check, schema, member, pointerTo(path, name));
}
