import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';

// The only module that knows the validator. Patterns run on RE2, so no pattern can take exponential time, and
// every `$ref` target counts its visits, so no schema can either (see docs/decisions/0006-validation.md).

/** One violation: JSON Pointer, the keyword that failed, a sentence. */
export interface Violation {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** Checks a value; an empty list means it is valid. */
export type SchemaCheck = (value: unknown) => readonly Violation[];

type PlainSchema = Readonly<Record<string, unknown>>;

const maxVisits = 100_000;
const maxViolations = 20;
const visitKeyword = 'x-handrail-visit';

/** Thrown by `compileSchema` for a schema that cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

class TooMuchWork extends Error {}

let visits = 0;

/** Compiles a draft 2020-12 schema. Unknown formats and keywords are ignored; external references are refused. */
export function compileSchema(schema: PlainSchema): SchemaCheck {
  let tracked = mentions(schema, (key) => key.startsWith('unevaluated'));
  // Every object inherits `constructor` and the like: only where a schema speaks of one is it worth looking whose it is.
  const ownOnly = mentions(schema, (key) => key in Object.prototype);
  let validate = compileWith(newAjv(tracked, ownOnly), schema);
  return function check(value): readonly Violation[] {
    visits = 0;
    try {
      if (validate(value)) return [];
    } catch (error) {
      if (error instanceof TooMuchWork) {
        return [{ path: '', keyword: 'schema', message: 'is too deeply nested to be checked' }];
      }
      if (!tracked) throw error;
      tracked = false;
      validate = compileWith(newAjv(tracked, ownOnly), schema);
      return check(value);
    }
    return describe(validate.errors ?? []);
  };
}

function compileWith(ajv: Ajv2020, schema: PlainSchema): ValidateFunction {
  try {
    return ajv.compile(countVisits(schema));
  } catch (error) {
    throw new SchemaError(error instanceof Error ? error.message : String(error));
  }
}

function mentions(schema: unknown, isMeant: (key: string) => boolean): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, inner]) => isMeant(key) || mentions(inner, isMeant));
}

// A new instance for each schema: `$id`s and caches of one must not reach another, and it can be collected with it.
// Ajv's code for what has been evaluated breaks on some schemas (patternProperties beside a union), so it is made only for
// those that ask, and left out with its keywords when it breaks: that allows more, never less.
function newAjv(tracksEvaluated: boolean, ownProperties: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties,
    logger: false,
    code: { regExp: re2Engine },
    unicodeRegExp: false,
  });
  if (!tracksEvaluated) {
    ajv.opts.unevaluated = false;
    ajv.removeKeyword('unevaluatedProperties').removeKeyword('unevaluatedItems');
  }
  (addFormats as unknown as (target: Ajv2020, options: { mode: 'fast' }) => void)(ajv, { mode: 'fast' });
  ajv.addKeyword({
    keyword: visitKeyword,
    validate: () => {
      if (++visits > maxVisits) throw new TooMuchWork();
      return true;
    },
    errors: false,
  });
  return ajv;
}

/** An engine for ajv that runs patterns in linear time. Patterns RE2 cannot read (look-around) fall back to no check. */
const re2Engine = Object.assign(
  (pattern: string) => {
    const test = re2Test(pattern);
    // ajv caches compiled patterns by their text: without a toString of its own the first would serve all.
    return { test, toString: () => `re2:${pattern}` } as unknown as RegExp;
  },
  { code: 'new RegExp' },
);

function re2Test(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    return () => true;
  }
}

/** Whether a pattern can be checked at all. */
export function isUsablePattern(pattern: string): boolean {
  try {
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return true;
  } catch {
    return false;
  }
}

// Only references can make work grow faster than the schema and the value; so their targets are what is counted.
function countVisits(schema: PlainSchema): PlainSchema {
  const defs = schema['$defs'];
  if (typeof defs !== 'object' || defs === null) return schema;
  const counted: Record<string, unknown> = {};
  for (const [name, target] of Object.entries(defs)) {
    counted[name] =
      typeof target === 'object' && target !== null ? { ...target, [visitKeyword]: true } : target;
  }
  return { ...schema, $defs: counted };
}

function describe(errors: readonly ErrorObject[]): Violation[] {
  // When a union fails, each branch reports: the leaf errors of one union are noise beside the union's own line.
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  const kept = errors.filter((error) => {
    if (error.keyword === 'if') return false;
    return !unions.some((union) => union !== error && error.schemaPath.startsWith(`${union.schemaPath}/`));
  });
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const error of kept) {
    const violation = describeOne(error);
    const key = `${violation.path}\n${violation.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    violations.push(violation);
    if (violations.length === maxViolations) break;
  }
  return violations;
}

function describeOne(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>;
  const at = (path: string, message: string): Violation => ({ path, keyword: error.keyword, message });
  switch (error.keyword) {
    case 'required':
      return at(`${error.instancePath}/${escapePointer(String(params['missingProperty']))}`, 'is required');
    case 'dependentRequired':
      return at(
        `${error.instancePath}/${escapePointer(String(params['missingProperty']))}`,
        `is required when ${String(params['property'])} is given`,
      );
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return at(`${error.instancePath}/${escapePointer(extra)}`, 'is not a known property');
    }
    case 'type':
      return at(error.instancePath, `must be ${typeNames(params['type'])}`);
    case 'enum':
      return at(error.instancePath, `must be one of ${listValues(params['allowedValues'] as unknown[])}`);
    case 'const':
      return at(error.instancePath, `must be ${JSON.stringify(params['allowedValue'])}`);
    case 'format':
      return at(error.instancePath, `must be a valid ${String(params['format'])}`);
    case 'anyOf':
      return at(error.instancePath, 'must match one of the allowed forms');
    case 'oneOf':
      return at(error.instancePath, 'must match exactly one of the allowed forms');
    case 'false schema':
      return at(error.instancePath, 'is not allowed');
    default:
      return at(error.instancePath, (error.message ?? 'is not valid').replace(/^must NOT /, 'must not '));
  }
}

function typeNames(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names
    .map((name) => (name === 'null' ? 'null' : `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ');
}

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return values.length > shown.length
    ? `${shown.join(', ')} and ${values.length - shown.length} more`
    : shown.join(', ');
}

function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
