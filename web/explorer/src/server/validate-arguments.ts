import { WorkBudget } from '../schema/budget.ts';
import { countObjects } from '../schema/json-values.ts';
import { compileWithAjv } from './compile-with-ajv.ts';
import type { Validator } from './compile-with-ajv.ts';
import { compileWithoutCode } from './compile-without-code.ts';
import { parseSchema, schemaText } from './prepare-schema.ts';
import type { ValidateResult, ValidationFailure } from './types.ts';

const maxKeptValidators = 500;
const maxStepsPerValidation = 300_000;
/** Ajv takes a third of a millisecond per subschema; beyond this many, walking is faster. */
const maxCompiledObjects = 300;
const maxFailures = 100;

/**
 * Compiled validators by schema text, not by object: a tools function may return new objects on each request, or
 * change the old ones.
 */
const kept = new Map<string, Validator>();

/** Validates arguments against a tool's schema. Never throws: an unusable schema is one failure. */
export function validateArguments(schema: unknown, args: unknown): ValidateResult {
  if (schema === undefined || schema === null) return { valid: true };
  try {
    const failures = validatorFor(schemaText(schema))(args);
    return failures.length === 0 ? { valid: true } : invalid(failures.slice(0, maxFailures));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return invalid([{ path: '', message: `Invalid schema: ${detail}`, keyword: 'schema' }]);
  }
}

function invalid(errors: ValidationFailure[]): ValidateResult {
  return { valid: false, errors };
}

function validatorFor(text: string): Validator {
  const known = kept.get(text);
  const validator = known ?? compile(text);
  // Deleting and setting keeps the map in order of last use, so the first key is the one to drop.
  kept.delete(text);
  kept.set(text, validator);
  if (kept.size > maxKeptValidators) kept.delete(kept.keys().next().value as string);
  return validator;
}

/** Compilation failures are cached too, so a hostile schema is compiled only once. */
function compile(text: string): Validator {
  const budget = new WorkBudget(maxStepsPerValidation);
  try {
    const schema = parseSchema(text);
    const compiles = canMakeCode() && countObjects(schema) <= maxCompiledObjects;
    return compiles ? compileWithAjv(schema, budget) : compileWithoutCode(schema, budget);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

let makesCode: boolean | undefined;

function canMakeCode(): boolean {
  if (makesCode === undefined) {
    try {
      // oxlint-disable-next-line no-implied-eval, no-new-func -- checks whether Ajv can work here
      makesCode = new Function('return true')() === true;
    } catch {
      makesCode = false;
    }
  }
  return makesCode;
}
