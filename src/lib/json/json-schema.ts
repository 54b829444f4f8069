import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { describeErrors, type Violation } from './describe-errors.ts';
import { foldLargeSchema } from './fold-large-schema.ts';
import { withoutUncheckable } from './uncheckable-patterns.ts';
import { addWork, beginWork, TooMuchWork, withWorkCounted, workKeyword } from './validation-work.ts';

// The only module that knows the validator. Patterns run on RE2, so no pattern can take exponential time, and the work
// of each check is counted, so no schema and no value can take long either (see docs/decisions/0006-validation.md).

/** Checks a value; an empty list means it is valid. */
export type SchemaCheck = (value: unknown) => readonly Violation[];

type PlainSchema = Readonly<Record<string, unknown>>;

/** Thrown by `compileSchema` for a schema that cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Compiles a draft 2020-12 schema. Unknown formats and keywords are ignored; external references are refused. */
export function compileSchema(given: PlainSchema): SchemaCheck {
  return compileAt(given, deepestBranch);
}

// Each is compiled when a value first comes close to it, and looks into unions of its own in turn.
const deepestBranch = 3;

function compileAt(given: PlainSchema, depth: number): SchemaCheck {
  const branches = new WeakMap<PlainSchema, SchemaCheck>();
  const checkBranch = (branch: PlainSchema, value: unknown): readonly Violation[] => {
    if (depth === 0) return [];
    let check = branches.get(branch);
    if (check === undefined) {
      const defs = schema['$defs'];
      check = compileAt({ ...branch, ...(defs !== undefined && { $defs: defs }) }, depth - 1);
      branches.set(branch, check);
    }
    return check(value);
  };
  const schema = withWorkCounted(withoutUncheckable(foldLargeSchema(given), isUsablePattern));
  let tracked = mentions(schema, (key) => key.startsWith('unevaluated'));
  // Every object inherits `constructor` and others: only a schema that names one needs the slower check for own properties.
  const ownOnly = mentions(schema, (key) => key in Object.prototype);
  let validate = compileWith(newAjv(tracked, ownOnly), schema);
  return function check(value): readonly Violation[] {
    beginWork();
    try {
      if (validate(value)) return [];
    } catch (error) {
      if (error instanceof TooMuchWork) {
        const message = 'is too large or too deeply nested to be checked; send less at once';
        return [{ path: '', keyword: 'schema', message }];
      }
      if (!tracked) throw error;
      tracked = false;
      validate = compileWith(newAjv(tracked, ownOnly), schema);
      return check(value);
    }
    return describeErrors(validate.errors ?? [], { schema, check: checkBranch });
  };
}

function compileWith(ajv: Ajv2020, schema: PlainSchema): ValidateFunction {
  try {
    return ajv.compile(schema);
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
    // An error tells which schema it comes from, by which those of a union's branches are told.
    verbose: true,
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
  addFormats.default(ajv, { mode: 'fast' });
  // Ajv's own expression for these takes quadratic time, and its other check compiles what it is given.
  ajv.addFormat('url', (text: string) => URL.canParse(text));
  ajv.addFormat('regex', isUsablePattern);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || areUnique(items),
    error: { message: 'must not have the same item twice' },
  });
  ajv.addKeyword({
    keyword: workKeyword,
    validate: (cost: number) => {
      addWork(cost);
      return true;
    },
    errors: false,
  });
  return ajv;
}

/** Whether no item stands twice. Ajv compares each with each, which is quadratic. */
function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  const texts = new Set<string>();
  for (const item of items) {
    if (typeof item !== 'object' || item === null) {
      addWork(1);
      if (seen.size === seen.add(item).size) return false;
      continue;
    }
    const text = JSON.stringify(item, sortedKeys);
    addWork(5 + text.length / 10);
    if (texts.size === texts.add(text).size) return false;
  }
  return true;
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** An engine for ajv that runs patterns in linear time. Those that RE2 cannot read (look-around) were taken out before. */
const re2Engine = Object.assign(
  (pattern: string) => {
    const test = re2Test(pattern);
    // ajv caches compiled patterns by their text: without a toString of its own the first would serve all.
    return { test, toString: () => `re2:${pattern}` };
  },
  { code: 'new RegExp' },
);

function re2Test(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => {
      addWork(text.length * workOfPattern);
      return compiled.matcher(text).find();
    };
  } catch {
    return () => true;
  }
}

// RE2 takes about as long for three characters as the validator for one keyword.
const workOfPattern = 0.3;

/** Whether a pattern can be checked at all. */
export function isUsablePattern(pattern: string): boolean {
  let usable = usablePatterns.get(pattern);
  if (usable === undefined) {
    usable = canCompile(pattern);
    if (usablePatterns.size >= maxUsablePatterns) usablePatterns.clear();
    usablePatterns.set(pattern, usable);
  }
  return usable;
}

// Compiling one takes a while, and a document repeats its patterns.
const usablePatterns = new Map<string, boolean>();
const maxUsablePatterns = 1_000;

function canCompile(pattern: string): boolean {
  try {
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return true;
  } catch {
    return false;
  }
}
