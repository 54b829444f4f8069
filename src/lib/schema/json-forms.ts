import { escapePointer } from '../json/json-pointer.ts';
import { isObject } from '../json/plain-object.ts';

interface FormProblem {
  readonly path: string;
  readonly message: string;
}

/** The deepest nesting allowed in a stored JSON value: all code that walks one is recursive. */
export const maxDepth = 200;

/** Why a value can't be stored as JSON; null if it can. */
export function valueProblem(value: unknown, depth: number): FormProblem | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : { path: '', message: 'must be a number that JSON can carry' };
    case 'object':
      break;
    default:
      return { path: '', message: 'is not a value that JSON can carry' };
  }
  if (value === null) return null;
  if (depth === 0) return { path: '', message: `is nested deeper than ${maxDepth} levels` };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = valueProblem(value[i], depth - 1);
      if (problem !== null) return below(i, problem);
    }
    return null;
  }
  for (const key in value) {
    if (key === '__proto__') return { path: '/__proto__', message: 'is not a name that can be used' };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not an array, as checked above; indexed here because every stored row goes through this
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    const problem = inner === undefined ? null : valueProblem(inner, depth - 1);
    if (problem !== null) return below(key, problem);
  }
  return null;
}

function below(key: string | number, { path, message }: FormProblem): FormProblem {
  return { path: `/${escapePointer(String(key))}${path}`, message };
}

type KeywordForm = (value: unknown, depth: number) => FormProblem | null;

const wrong = (message: string): FormProblem => ({ path: '', message });

const schema: KeywordForm = (value, depth) =>
  typeof value === 'boolean' ? null : isObject(value) ? walk(value, depth) : wrong('must be a schema');

const schemaMap: KeywordForm = (value, depth) => {
  if (!isObject(value)) return wrong('must be an object of schemas');
  for (const name in value) {
    const problem =
      name === '__proto__' ? wrong('is not a name that can be used') : schema(value[name], depth - 1);
    if (problem !== null) return below(name, problem);
  }
  return null;
};

const schemaList: KeywordForm = (value, depth) => {
  if (!Array.isArray(value) || value.length === 0) return wrong('must be a list of schemas');
  for (let i = 0; i < value.length; i++) {
    const problem = schema(value[i], depth - 1);
    if (problem !== null) return below(i, problem);
  }
  return null;
};

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const textList: KeywordForm = (value) => (isTextList(value) ? null : wrong('must be a list of names'));

const textListMap: KeywordForm = (value) =>
  isObject(value) && Object.values(value).every(isTextList)
    ? null
    : wrong('must be an object of lists of names');

// No object parsed from JSON can have it, so nothing could ever be valid.
const requiredNames: KeywordForm = (value, depth) =>
  Array.isArray(value) && value.includes('__proto__')
    ? wrong('must not contain "__proto__", which is not a name that can be used')
    : textList(value, depth);

const plainText: KeywordForm = (value) => (typeof value === 'string' ? null : wrong('must be text'));

const plainNumber: KeywordForm = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? null : wrong('must be a number');

const count: KeywordForm = (value) =>
  typeof value === 'number' && value >= 0 ? null : wrong('must be a number, 0 or more');

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);
const isTypeName = (value: unknown): boolean => typeof value === 'string' && typeNames.has(value);

const typeForm: KeywordForm = (value) =>
  isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName))
    ? null
    : wrong(`must be one of ${[...typeNames].join(', ')}, or a list of them`);

const nonEmptyList: KeywordForm = (value, depth) =>
  Array.isArray(value) && value.length > 0 ? valueProblem(value, depth) : wrong('must be a list of values');

// The draft 2020-12 keywords that a validator acts on; all others are kept unchecked.
const keywords = new Map<string, KeywordForm>([
  ['type', typeForm],
  ['enum', nonEmptyList],
  ['required', requiredNames],
  ['dependentRequired', textListMap],
  ['uniqueItems', (value) => (typeof value === 'boolean' ? null : wrong('must be true or false'))],
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].map(
    (name) => [name, schemaMap] as const,
  ),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, schemaList] as const),
  ...[
    'items',
    'contains',
    'not',
    'propertyNames',
    'if',
    'then',
    'else',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
    'contentSchema',
  ].map((name) => [name, schema] as const),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name) => [name, count] as const,
  ),
  ...['minContains', 'maxContains'].map((name) => [name, count] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(
    (name) => [name, plainNumber] as const,
  ),
  [
    'multipleOf',
    (value) => (typeof value === 'number' && value > 0 ? null : wrong('must be a number above 0')),
  ],
  ...['pattern', 'format', '$ref', '$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$schema'].map(
    (name) => [name, plainText] as const,
  ),
]);

function walk(value: Readonly<Record<string, unknown>>, depth: number): FormProblem | null {
  if (depth <= 0) return wrong(`is nested deeper than ${maxDepth} levels`);
  // Objects from a JSON parser inherit nothing enumerable, and this is the fastest way to iterate their keys.
  for (const key in value) {
    const inner = value[key];
    const form = keywords.get(key);
    if (form === undefined) {
      if (typeof inner === 'string' && key !== '__proto__') continue;
      if (key === '__proto__') return below(key, wrong('is not a name that can be used'));
    }
    if (inner === undefined) continue;
    const problem = form === undefined ? valueProblem(inner, depth - 1) : form(inner, depth - 1);
    if (problem !== null) return below(key, problem);
  }
  return null;
}

/** Why an object can't be used as a JSON Schema: the first keyword with an invalid value. */
export function schemaProblem(value: Readonly<Record<string, unknown>>): FormProblem | null {
  return walk(value, maxDepth);
}
