import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { HandrailError } from '../../domain/errors.ts';
import { pointerKeys, valueAt } from '../../lib/json/json-pointer.ts';

/** Picks a part of a JSON value. */
export type SelectPart = (value: unknown) => unknown;

const longestExpression = 2_000;
const kept = new Map<string, SelectPart>();
const mostKept = 1_000;

/**
 * Reads an expression: a JSON Pointer when it begins with `/` (RFC 6901), else JMESPath (https://jmespath.org). A bad one
 * is `invalid_input` with its place.
 */
export function readSelect(expression: string, path: string): SelectPart {
  const known = kept.get(expression);
  if (known !== undefined) return known;
  const select = expression.startsWith('/') ? byPointer(expression) : byJmespath(expression, path);
  if (kept.size >= mostKept) kept.clear();
  kept.set(expression, select);
  return select;
}

function byPointer(pointer: string): SelectPart {
  const keys = pointerKeys(pointer);
  return (value) => valueAt(value, keys);
}

function byJmespath(expression: string, path: string): SelectPart {
  let tree: ReturnType<typeof compile>;
  try {
    if (expression.length > longestExpression)
      throw new Error(`it has more than ${longestExpression} characters`);
    tree = compile(expression);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new HandrailError(
      'invalid_input',
      `"${expression.slice(0, 100)}" is not a JMESPath expression: ${why}.`,
      {
        problems: [{ path, message: `is not a JMESPath expression: ${why}` }],
      },
    );
  }
  return (value) => TreeInterpreter.search(tree, value as JSONValue);
}
