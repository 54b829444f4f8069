import { applyBelow, report, trySchema } from './check-state.ts';
import type { Check, Evaluated } from './check-state.ts';
import { findDuplicate, pointerTo } from './json-values.ts';

type Schema = Record<string, unknown>;

/** Array keywords, with `unevaluatedItems` last. */
export function checkArray(
  check: Check,
  schema: Schema,
  value: unknown[],
  path: string,
  evaluated: Evaluated,
): void {
  checkSize(check, schema, value, path);
  checkItems(check, schema, value, path, evaluated);
  checkContains(check, schema, value, path, evaluated);
  if (schema['unevaluatedItems'] === undefined) return;
  value.forEach((item, index) => {
    if (evaluated.items.has(index)) return;
    if (schema['unevaluatedItems'] === false) {
      report(check, path, 'unevaluatedItems', `must NOT have more than ${index} items`, index);
    } else deeper(check, schema['unevaluatedItems'], item, path, index);
    evaluated.items.add(index);
  });
}

function checkSize(check: Check, schema: Schema, value: unknown[], path: string): void {
  const { minItems, maxItems, uniqueItems } = schema;
  if (typeof minItems === 'number' && value.length < minItems) {
    report(check, path, 'minItems', `must NOT have fewer than ${minItems} items`, minItems);
  }
  if (typeof maxItems === 'number' && value.length > maxItems) {
    report(check, path, 'maxItems', `must NOT have more than ${maxItems} items`, maxItems);
  }
  const twins = uniqueItems === true ? findDuplicate(value, check.budget) : null;
  if (twins) {
    report(
      check,
      path,
      'uniqueItems',
      `must NOT have duplicate items (items ## ${twins[0]} and ${twins[1]} are identical)`,
      twins,
    );
  }
}

function checkItems(
  check: Check,
  schema: Schema,
  value: unknown[],
  path: string,
  evaluated: Evaluated,
): void {
  const { items } = schema;
  const older = Array.isArray(items);
  const prefix = older ? items : Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  const rest = older ? schema['additionalItems'] : items;
  value.forEach((item, index) => {
    if (index < prefix.length) deeper(check, prefix[index], item, path, index);
    else if (rest === undefined) return;
    else if (rest === false) {
      if (index > prefix.length) return;
      const keyword = older ? 'additionalItems' : 'items';
      report(check, path, keyword, `must NOT have more than ${prefix.length} items`, prefix.length);
    } else deeper(check, rest, item, path, index);
    evaluated.items.add(index);
  });
}

function checkContains(
  check: Check,
  schema: Schema,
  value: unknown[],
  path: string,
  evaluated: Evaluated,
): void {
  const { contains, maxContains } = schema;
  if (contains === undefined) return;
  const min = typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  let found = 0;
  value.forEach((item, index) => {
    if (!trySchema({ ...check, refDepth: 0 }, contains, item, pointerTo(path, index)).fits) return;
    found++;
    evaluated.items.add(index);
  });
  const max = typeof maxContains === 'number' ? maxContains : Infinity;
  if (found >= min && found <= max) return;
  const range = max === Infinity ? `at least ${min}` : `at least ${min} and no more than ${max}`;
  report(check, path, 'contains', `must contain ${range} valid item(s)`, min);
}

function deeper(check: Check, schema: unknown, item: unknown, path: string, index: number): void {
  applyBelow(check, schema, item, pointerTo(path, index));
}
