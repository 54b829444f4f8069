import { compile, tokenize } from '@jmespath-community/jmespath';
import type { WorkBudget } from '../../work-budget.ts';
import { pointerKeys, valueAt } from '../json-pointer.ts';
import { depthOf, problemInTree } from './check-select.ts';
import { evaluate, type Expression } from './evaluate.ts';

/** Selects a part of a JSON value within a budget: throws `OverBudget` if it takes more. */
export type SelectPart = (value: unknown, budget: WorkBudget) => unknown;

/** What is wrong with an expression, as a phrase that follows its name. */
export class SelectError extends Error {}

const maxLength = 2_000;
// The parser and the evaluation are recursive: at most as deep as there are tokens, and as the tree is deep.
const maxTokens = 1_000;
const maxDepth = 500;

// A tree takes about a hundred times as much memory as its expression.
const maxCachedCharacters = 100_000;
const cache = new Map<string, ReadExpression>();
let cachedCharacters = 0;

/** A parsed expression, and what is wrong with it regardless of the data. */
interface ReadExpression {
  readonly select: SelectPart;
  readonly problem: string | null;
}

/**
 * Parses an expression: a JSON Pointer if it starts with `/` (RFC 6901), otherwise JMESPath
 * (https://jmespath.org). Throws a SelectError for one that can't be parsed.
 */
export function readSelect(expression: string): SelectPart {
  return read(expression).select;
}

/**
 * The same for an expression that arrives with a call: an invalid function call is rejected too, before
 * anything is called. A stored expression may have one in a branch that never runs.
 */
export function readGivenSelect(expression: string): SelectPart {
  const { select, problem } = read(expression);
  if (problem !== null) throw new SelectError(`is not a JMESPath expression: ${problem}.`);
  return select;
}

function read(expression: string): ReadExpression {
  const known = cache.get(expression);
  if (known !== undefined) return known;
  if (expression.length > maxLength) throw new SelectError(`has more than ${maxLength} characters`);
  const made = expression.startsWith('/')
    ? { select: byPointer(expression), problem: null }
    : byJmespath(expression);
  cachedCharacters += expression.length;
  if (cachedCharacters > maxCachedCharacters) {
    cache.clear();
    cachedCharacters = expression.length;
  }
  cache.set(expression, made);
  return made;
}

function byPointer(pointer: string): SelectPart {
  const keys = pointerKeys(pointer);
  return (value, budget) => {
    budget.spend(keys.length);
    return valueAt(value, keys);
  };
}

function byJmespath(expression: string): ReadExpression {
  const tree = parse(expression);
  if (depthOf(tree, maxDepth) > maxDepth)
    throw new SelectError(`is nested deeper than ${maxDepth} levels: use a simpler expression`);
  return { problem: problemInTree(tree), select: (value, budget) => evaluate(tree, value, budget) };
}

function parse(expression: string): Expression {
  try {
    if (tokenize(expression).length <= maxTokens) return compile(expression);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new SelectError(`is not a JMESPath expression: ${why}`, { cause: error });
  }
  throw new SelectError(`has more than ${maxTokens} names and signs: use a shorter expression`);
}
