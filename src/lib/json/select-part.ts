import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { problemInTree } from './check-select.ts';
import { pointerKeys, valueAt } from './json-pointer.ts';

/** Picks a part of a JSON value. */
export type SelectPart = (value: unknown) => unknown;

/** What is wrong with an expression, in words that follow its name. */
export class SelectError extends Error {}

const longestExpression = 2_000;
const kept = new Map<string, SelectPart>();
const mostKept = 1_000;

/**
 * Reads an expression: a JSON Pointer when it begins with `/` (RFC 6901), else JMESPath (https://jmespath.org). Throws a
 * SelectError for one that cannot be read.
 */
export function readSelect(expression: string): SelectPart {
  const known = kept.get(expression);
  if (known !== undefined) return known;
  const select = expression.startsWith('/') ? byPointer(expression) : byJmespath(expression);
  if (kept.size >= mostKept) kept.clear();
  kept.set(expression, select);
  return select;
}

function byPointer(pointer: string): SelectPart {
  const keys = pointerKeys(pointer);
  return (value) => valueAt(value, keys);
}

function byJmespath(expression: string): SelectPart {
  if (expression.length > longestExpression)
    throw new SelectError(`has more than ${longestExpression} characters`);
  let tree: ReturnType<typeof compile>;
  try {
    tree = compile(expression);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new SelectError(`is not a JMESPath expression: ${why}`, { cause: error });
  }
  const problem = problemInTree(tree);
  if (problem !== null) throw new SelectError(`is not a JMESPath expression: ${problem}.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers hand over what a JSON reader made
  return (value) => TreeInterpreter.search(tree, value as JSONValue);
}
