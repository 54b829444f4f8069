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

/** Lists the ways a value fails; throws if that takes too much work. */
export type Validator = (value: unknown) => ValidationFailure[];

// A CommonJS package: runtimes and bundlers disagree on whether its default is wrapped.
const addFormats = ((formatsModule as { default?: unknown }).default ??
  formatsModule) as unknown as FormatsPlugin;

type Dialect = typeof Ajv | typeof Ajv2019 | typeof Ajv2020;

/**
 * Compiles a parsed schema (and modifies it). A new instance each time, so that the `$id`s of two tools can't
 * collide. The meta-schemas cost far more than a tool's own schema, so they are compiled once.
 */
export function compileWithAjv(schema: unknown, budget: WorkBudget): Validator {
  const dialect = dialectOf(isObject(schema) ? schema['$schema'] : undefined);
  const prepared = prepareForAjv(schema) as object | boolean;
  if (typeof prepared !== 'object' && typeof prepared !== 'boolean')
    throw new TypeError('schema must be object or boolean');
  void metaSchemasOf(dialect).validateSchema(prepared, true);
  const validate: ValidateFunction = createAjv(dialect, budget).compile(prepared);
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

/** The dialect a schema declares; 2020-12, MCP's default, if it declares none or an unknown one. */
function dialectOf(declared: unknown): Dialect {
  if (isDraft(declared, 'draft-0[67]/')) return Ajv;
  return isDraft(declared, 'draft/2019-09/') ? Ajv2019 : Ajv2020;
}

const metaSchemas = new Map<Dialect, Ajv>();

function metaSchemasOf(dialect: Dialect): Ajv {
  let ajv = metaSchemas.get(dialect);
  if (ajv === undefined) {
    ajv = new dialect({ strict: false, logger: false });
    metaSchemas.set(dialect, ajv);
  }
  return ajv;
}

function createAjv(dialect: Dialect, budget: WorkBudget): Ajv {
  const ajv: Ajv = new dialect({
    allErrors: true,
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    code: { regExp: regExpFor(budget) },
  });
  addFormats(ajv);
  ajv.addKeyword({
    keyword: workKeyword,
    schemaType: 'number',
    validate: (cost: number) => {
      budget.spend(cost);
      return true;
    },
  });
  replaceUniqueItems(ajv, budget);
  return ajv;
}

function isDraft(dialect: unknown, pattern: string): boolean {
  return typeof dialect === 'string' && new RegExp(`^https?://json-schema\\.org/${pattern}`).test(dialect);
}

/** Ajv shares one engine per `toString()`, so each pattern needs its own text. */
function regExpFor(budget: WorkBudget) {
  const create = (source: string) => {
    const pattern = compilePattern(source, budget);
    return { test: (text: string) => pattern.test(text), toString: () => `pattern ${source}` };
  };
  return Object.assign(create, { code: 'compilePattern' }) as unknown as NonNullable<
    NonNullable<Options['code']>['regExp']
  >;
}

/** Ajv compares all pairs, which is quadratic in a list that a caller sends. */
function replaceUniqueItems(ajv: Ajv, budget: WorkBudget): void {
  ajv.removeKeyword('uniqueItems');
  const validate = Object.assign(
    (unique: boolean, items: unknown[]): boolean => {
      const twins = unique ? findDuplicate(items, budget) : null;
      if (twins === null) return true;
      const message = `must NOT have duplicate items (items ## ${twins[0]} and ${twins[1]} are identical)`;
      validate.errors = [{ keyword: 'uniqueItems', message, params: { i: twins[1], j: twins[0] } }];
      return false;
    },
    { errors: [] as { keyword: string; message: string; params: object }[] },
  );
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: 'full', validate });
}
