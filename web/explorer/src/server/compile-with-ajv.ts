import { Ajv } from 'ajv';
import type { Options, ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsModule from 'ajv-formats';
import type { FormatsPlugin } from 'ajv-formats';
import type { WorkBudget } from '../schema/budget.ts';
import { isObject, findDuplicate } from '../schema/json-values.ts';
import { compilePattern } from '../schema/pattern.ts';
import { prepareForAjv, workKeyword } from './prepare-schema.ts';
import type { ValidationFailure } from './types.ts';

/** Lists the ways a value fails; throws when that takes too much work. */
export type Validator = (value: unknown) => ValidationFailure[];

// A CommonJS package: runtimes and bundlers disagree on whether its default is wrapped.
const addFormats = ((formatsModule as { default?: unknown }).default ??
  formatsModule) as unknown as FormatsPlugin;

/** Compiles a parsed schema (and changes it). A new instance each time: `$id`s of two tools must not meet. */
export function compileWithAjv(schema: unknown, budget: WorkBudget): Validator {
  const ajv = createAjv(isObject(schema) ? schema['$schema'] : undefined, budget);
  const validate: ValidateFunction = ajv.compile(prepareForAjv(schema) as object | boolean);
  return (value) => {
    budget.restart();
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({
      path: error.instancePath,
      message: error.message ?? 'does not fit',
      keyword: error.keyword,
    }));
  };
}

/** The dialect a schema declares; 2020-12, MCP's default, when it declares none or one unknown here. */
function createAjv(dialect: unknown, budget: WorkBudget): Ajv {
  const options: Options = {
    allErrors: true,
    strict: false,
    logger: false,
    code: { regExp: regExpFor(budget) },
  };
  const ajv = isDraft(dialect, 'draft-0[67]/')
    ? new Ajv(options)
    : isDraft(dialect, 'draft/2019-09/')
      ? new Ajv2019(options)
      : new Ajv2020(options);
  addFormats(ajv);
  ajv.addKeyword({
    keyword: workKeyword,
    schemaType: 'number',
    validate: (cost: number) => {
      budget.spend(cost);
      return true;
    },
  });
  replaceUniqueItems(ajv);
  return ajv;
}

function isDraft(dialect: unknown, pattern: string): boolean {
  return typeof dialect === 'string' && new RegExp(`^https?://json-schema\\.org/${pattern}`).test(dialect);
}

/** Ajv shares one engine per `toString()`, so each pattern needs a text of its own. */
function regExpFor(budget: WorkBudget) {
  const create = (source: string) => {
    const pattern = compilePattern(source, budget);
    return { test: (text: string) => pattern.test(text), toString: () => `pattern ${source}` };
  };
  return Object.assign(create, { code: 'compilePattern' }) as unknown as NonNullable<
    NonNullable<Options['code']>['regExp']
  >;
}

/** Ajv compares all pairs: quadratic in a list that a caller sends. */
function replaceUniqueItems(ajv: Ajv): void {
  ajv.removeKeyword('uniqueItems');
  const validate = Object.assign(
    (unique: boolean, items: unknown[]): boolean => {
      const twins = unique ? findDuplicate(items) : null;
      if (twins === null) return true;
      const message = `must NOT have duplicate items (items ## ${twins[0]} and ${twins[1]} are identical)`;
      validate.errors = [{ keyword: 'uniqueItems', message, params: { i: twins[1], j: twins[0] } }];
      return false;
    },
    { errors: [] as { keyword: string; message: string; params: object }[] },
  );
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: 'full', validate });
}
