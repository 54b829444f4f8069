import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { problemInTree } from './check-select.ts';
import { pointerKeys, valueAt } from './json-pointer.ts';

/** Picks a part of a JSON value. */
export type SelectPart = (value: unknown) => unknown;

/** What is wrong with an expression, in words that follow its name. */
export class SelectError extends Error {}

const longestExpression = 2_000;
const kept = new Map<string, ReadExpression>();
const mostKept = 1_000;

/** An expression that could be read, and what is wrong with it all the same, whatever it is applied to. */
interface ReadExpression {
  readonly select: SelectPart;
  readonly problem: string | null;
}

/**
 * Reads an expression: a JSON Pointer when it begins with `/` (RFC 6901), else JMESPath (https://jmespath.org). Throws a
 * SelectError for one that cannot be read.
 */
export function readSelect(expression: string): SelectPart {
  return read(expression).select;
}

/**
 * The same for an expression that somebody gives with a call: also one that calls a function wrongly is refused, before
 * anything is called. What was stored may have such a call where it is never made.
 */
export function readGivenSelect(expression: string): SelectPart {
  const { select, problem } = read(expression);
  if (problem !== null) throw new SelectError(`is not a JMESPath expression: ${problem}.`);
  return select;
}

function read(expression: string): ReadExpression {
  const known = kept.get(expression);
  if (known !== undefined) return known;
  const made = expression.startsWith('/')
    ? { select: byPointer(expression), problem: null }
    : byJmespath(expression);
  if (kept.size >= mostKept) kept.clear();
  kept.set(expression, made);
  return made;
}

function byPointer(pointer: string): SelectPart {
  const keys = pointerKeys(pointer);
  return (value) => valueAt(value, keys);
}

function byJmespath(expression: string): ReadExpression {
  if (expression.length > longestExpression)
    throw new SelectError(`has more than ${longestExpression} characters`);
  let tree: ReturnType<typeof compile>;
  try {
    tree = compile(expression);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new SelectError(`is not a JMESPath expression: ${why}`, { cause: error });
  }
  return {
    problem: problemInTree(tree),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers hand over what a JSON reader made
    select: (value) => TreeInterpreter.search(tree, value as JSONValue),
  };
}
