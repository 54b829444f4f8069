import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { WorkBudget } from '../schema/budget.ts';
import { checkValue } from '../schema/check-value.ts';
import type { FormatCheck } from '../schema/check-state.ts';
import type { Validator } from './compile-with-ajv.ts';

/**
 * The validator for runtimes that forbid code made from strings (Cloudflare Workers and others), where Ajv
 * cannot compile. It is the walker the page uses, with the formats of ajv-formats.
 */
export function compileWithoutCode(schema: unknown, budget: WorkBudget): Validator {
  const check: Validator = (value) => {
    budget.restart();
    return checkValue(schema, value, { formats, budget }).map(({ path, message, keyword }) => ({
      path,
      message,
      keyword,
    }));
  };
  // A first run finds what makes the schema unusable, as compiling would.
  check({});
  return check;
}

const formats: ReadonlyMap<string, FormatCheck> = new Map(
  Object.entries(fullFormats).flatMap(([name, format]) => {
    const check = toCheck(format);
    return check === null ? [] : [[name, check] as const];
  }),
);

function toCheck(format: unknown): FormatCheck | null {
  if (format === true) return () => true;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => Boolean((format as (text: string) => unknown)(text));
  const definition = format as { type?: string; validate?: unknown };
  return definition.type === 'number' ? null : toCheck(definition.validate);
}
