import { report } from './check-state.ts';
import type { Check } from './check-state.ts';
import { asText, isObject } from './json-values.ts';

type Schema = Record<string, unknown>;

/** The types of JSON Schema. */
export const knownTypes = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** `type`, and OpenAPI's `nullable`. */
export function checkType(check: Check, schema: Schema, value: unknown, path: string): void {
  if (schema['type'] === undefined) return;
  const types = typesOf(schema);
  const unknown = types.find((type) => !knownTypes.includes(type));
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is not a type`);
  if (types.some((type) => hasType(value, type))) return;
  if (value === null && schema['nullable'] === true) return;
  report(check, path, 'type', `must be ${types.join(',')}`, types);
}

/** The types a schema names, as a list. */
export function typesOf(schema: Schema): string[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(asText);
  return type === undefined ? [] : [asText(type)];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

/** `minimum`, `maximum`, their exclusive forms, and `multipleOf`. */
export function checkNumber(check: Check, schema: Schema, value: number, path: string): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum)
    report(check, path, 'minimum', `must be >= ${minimum}`, minimum);
  if (typeof maximum === 'number' && value > maximum)
    report(check, path, 'maximum', `must be <= ${maximum}`, maximum);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    report(check, path, 'exclusiveMinimum', `must be > ${exclusiveMinimum}`, exclusiveMinimum);
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    report(check, path, 'exclusiveMaximum', `must be < ${exclusiveMaximum}`, exclusiveMaximum);
  }
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    report(check, path, 'multipleOf', `must be multiple of ${multipleOf}`, multipleOf);
  }
}

/** 0.3 is a multiple of 0.1 to people, though not in binary floating point. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 2;
}

/** `minLength`, `maxLength`, `pattern` and `format`. */
export function checkString(check: Check, schema: Schema, value: string, path: string): void {
  const { minLength, maxLength, pattern, format } = schema;
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    const length = lengthOf(value);
    if (typeof minLength === 'number' && length < minLength) {
      report(check, path, 'minLength', `must NOT have fewer than ${minLength} characters`, minLength);
    }
    if (typeof maxLength === 'number' && length > maxLength) {
      report(check, path, 'maxLength', `must NOT have more than ${maxLength} characters`, maxLength);
    }
  }
  if (typeof pattern === 'string' && !check.pattern(pattern).test(value)) {
    report(check, path, 'pattern', `must match pattern "${pattern}"`, pattern);
  }
  if (typeof format === 'string' && check.formats.get(format)?.(value) === false) {
    report(check, path, 'format', `must match format "${format}"`, format);
  }
}

/** JSON Schema counts characters, JavaScript code units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}
