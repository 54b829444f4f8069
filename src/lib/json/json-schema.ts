import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeErrors, type Violation } from './describe-errors.ts';
import { foldLargeSchema } from './fold-large-schema.ts';
import { compiledPattern, isTooLargePattern, PatternRules, patternSteps } from './patterns.ts';
import { withoutUncheckable } from './uncheckable-patterns.ts';
import { WeakCache } from '../weak-cache.ts';
import {
  addWork,
  beginWork,
  takePatternWork,
  TooMuchWork,
  withWorkCounted,
  workKeyword,
} from './validation-work.ts';

// The only module that knows the validator. Patterns run on RE2, so no pattern can take exponential time, and the work
// of each check is counted, so no schema and no value can take long either (docs/adr/0015-arguments.md).

/** Checks a value; an empty list means it is valid. */
export type SchemaCheck = (value: unknown) => readonly Violation[];

type PlainSchema = Readonly<Record<string, unknown>>;

/** Thrown by `compileSchema` for a schema that cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Compiles a draft 2020-12 schema. Unknown formats and keywords are ignored; external references are refused. */
export function compileSchema(given: PlainSchema): SchemaCheck {
  return compileAt(given, deepestBranch, new PatternRules());
}

/** The patterns of a schema that `compileSchema` leaves out because they take too much; found without compiling any. */
export function uncheckedPatterns(schema: PlainSchema): ReadonlySet<string> {
  const rules = new PatternRules();
  const unchecked = new Set<string>();
  // In the order in which they are asked for there, which decides where the budget ends.
  withoutUncheckable(foldLargeSchema(schema), (pattern) => {
    const fits = rules.fits(pattern);
    if (!fits) unchecked.add(pattern);
    return fits;
  });
  return unchecked;
}

// Each is compiled when a value first comes close to it, and looks into unions of its own in turn.
const deepestBranch = 3;

function compileAt(given: PlainSchema, depth: number, patterns: PatternRules): SchemaCheck {
  const branches = new WeakCache<PlainSchema, SchemaCheck>();
  const checkBranch = (branch: PlainSchema, value: unknown): readonly Violation[] => {
    if (depth === 0) return [];
    let check = branches.get(branch);
    if (check === undefined) {
      const defs = schema['$defs'];
      check = compileAt({ ...branch, ...(defs !== undefined && { $defs: defs }) }, depth - 1, patterns);
      branches.set(branch, check);
    }
    return check(value);
  };
  const schema = withWorkCounted(
    withoutUncheckable(foldLargeSchema(given), (pattern) => patterns.canRun(pattern)),
  );
  let tracked = mentions(schema, (key) => key.startsWith('unevaluated'));
  // Every object inherits `constructor` and others: only a schema that names one needs the slower check for own properties.
  const ownOnly = mentions(schema, (name) => name in Object.prototype);
  let validate = compileWith(newAjv(tracked, ownOnly, patterns), schema);
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
      validate = compileWith(newAjv(tracked, ownOnly, patterns), schema);
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

/** Whether a name that is meant appears in a schema: as a keyword, as a property, or in a list such as `required`. */
function mentions(schema: unknown, isMeant: (name: string) => boolean): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (Array.isArray(schema))
    return schema.some((inner) => (typeof inner === 'string' ? isMeant(inner) : mentions(inner, isMeant)));
  return Object.entries(schema).some(([key, inner]) => isMeant(key) || mentions(inner, isMeant));
}

// A new instance for each schema: `$id`s and caches of one must not reach another, and it can be collected with it.
// Ajv's code for what has been evaluated breaks on some schemas (patternProperties beside a union), so it is made only for
// those that ask, and left out with its keywords when it breaks: that allows more, never less.
function newAjv(tracksEvaluated: boolean, ownProperties: boolean, patterns: PatternRules): Ajv2020 {
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
    code: { regExp: patternEngine(patterns) },
    unicodeRegExp: false,
  });
  if (!tracksEvaluated) {
    ajv.opts.unevaluated = false;
    ajv.removeKeyword('unevaluatedProperties').removeKeyword('unevaluatedItems');
  }
  addFormats.default(ajv, { mode: 'fast' });
  // Ajv's own expression for these takes quadratic time, and its other check compiles what it is given.
  ajv.addFormat('url', (text: string) => URL.canParse(text));
  ajv.addFormat('regex', (pattern: string) => {
    // Too large to be told.
    if (isTooLargePattern(pattern)) return true;
    addWork(patternSteps(pattern) * workOfCompiling);
    return compiledPattern(pattern) !== null;
  });
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

/** An engine for ajv that runs patterns in linear time. What is not checked matches everything. */
function patternEngine(patterns: PatternRules) {
  const engine = (pattern: string) => ({
    test: patterns.canRun(pattern) ? (text: string) => matches(pattern, text) : () => true,
    // ajv caches compiled patterns by their text: without a toString of its own the first would serve all.
    toString: () => `re2:${pattern}`,
  });
  return Object.assign(engine, { code: 'new RegExp' });
}

function matches(pattern: string, text: string): boolean {
  addWork(text.length * workOfPattern);
  // Held by the cache alone: a schema that is not used for long keeps no compiled patterns.
  const compiled = compiledPattern(pattern);
  if (compiled === null || !takePatternWork(text.length * compiled.programSize())) return true;
  return compiled.matcher(text).find();
}

// RE2 takes about as long for three characters as the validator for one keyword, and for a step of compiling a pattern as
// long as the validator for thirty.
const workOfPattern = 0.3;
const workOfCompiling = 30;
