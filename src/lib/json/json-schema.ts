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

// The only module that knows the validator. Patterns run on RE2, so none takes exponential time, and the work
// of each check is counted, so no schema or value takes long either (docs/adr/0015-arguments.md).

/** Checks a value; an empty list means it is valid. */
export type SchemaCheck = (value: unknown) => readonly Violation[];

type PlainSchema = Readonly<Record<string, unknown>>;

/** Thrown by `compileSchema` for a schema that cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Compiles a draft 2020-12 schema. Unknown formats and keywords are ignored; external references are rejected. */
export function compileSchema(given: PlainSchema): SchemaCheck {
  return compileAt(given, maxBranchDepth, new PatternRules());
}

/**
 * The patterns of a schema that `compileSchema` leaves out because they cost too much; finds them without
 * compiling any.
 */
export function uncheckedPatterns(schema: PlainSchema): ReadonlySet<string> {
  const rules = new PatternRules();
  const unchecked = new Set<string>();
  // In the order in which the compiler asks for them, which decides where the budget ends.
  withoutUncheckable(foldLargeSchema(schema), (pattern) => {
    const fits = rules.fits(pattern);
    if (!fits) unchecked.add(pattern);
    return fits;
  });
  return unchecked;
}

// Each branch is compiled when a value first comes close to it, and may contain unions of its own.
const maxBranchDepth = 3;

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
        const message = 'is too large or too deeply nested to be checked; send less in one call';
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

// A new instance for each schema: the `$id`s and caches of one must not reach another, and both can be
// garbage-collected together. Ajv's code for evaluated properties breaks on some schemas (patternProperties
// next to a union), so it is generated only for schemas that need it, and left out together with its keywords
// if it breaks: that accepts more, never less.
function newAjv(tracksEvaluated: boolean, ownProperties: boolean, patterns: PatternRules): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // An error then has its schema, which identifies the errors of a union's branches.
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
  // Ajv's own expression for these takes quadratic time, and its other check compiles its input.
  ajv.addFormat('url', (text: string) => URL.canParse(text));
  ajv.addFormat('regex', (pattern: string) => {
    // Too large to check.
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

/** Whether all items are different. Ajv compares each pair, which is quadratic. */
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

/** A pattern engine for Ajv that runs in linear time. An unchecked pattern matches everything. */
function patternEngine(patterns: PatternRules) {
  const engine = (pattern: string) => ({
    test: patterns.canRun(pattern) ? (text: string) => matches(pattern, text) : () => true,
    // Ajv caches compiled patterns by their text: without its own toString, the first pattern would be used for
    // all.
    toString: () => `re2:${pattern}`,
  });
  return Object.assign(engine, { code: 'new RegExp' });
}

function matches(pattern: string, text: string): boolean {
  addWork(text.length * workOfPattern);
  // Only the cache refers to it, so a schema that hasn't been used for a while keeps no compiled patterns.
  const compiled = compiledPattern(pattern);
  if (compiled === null || !takePatternWork(text.length * compiled.programSize())) return true;
  return compiled.matcher(text).find();
}

// RE2 takes about as long for three characters as the validator for one keyword, and as long for one step of
// compiling a pattern as the validator for thirty.
const workOfPattern = 0.3;
const workOfCompiling = 30;
