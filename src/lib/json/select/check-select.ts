import { isObject, type PlainObject } from '../plain-object.ts';
import { argumentCount, selectFunctions } from './functions.ts';

/** What is wrong with an expression regardless of the data it is applied to; null if nothing is. */
export function problemInTree(tree: unknown): string | null {
  const left: unknown[] = [tree];
  while (left.length > 0) {
    const node = left.pop();
    if (Array.isArray(node)) left.push(...(node as unknown[]));
    if (!isObject(node)) continue;
    const problem = problemIn(node);
    if (problem !== null) return problem;
    left.push(...partsOf(node));
  }
  return null;
}

/** How deeply a tree is nested; stops at `max`. */
export function depthOf(tree: unknown, max: number): number {
  let level: readonly unknown[] = [tree];
  for (let depth = 0; ; depth++) {
    if (level.length === 0 || depth > max) return depth;
    level = level.flatMap((node) => (Array.isArray(node) ? (node as unknown[]) : [node])).flatMap(partsOf);
  }
}

/** The children of a node. A quoted literal is data, so it has none. */
function partsOf(node: unknown): readonly unknown[] {
  if (!isObject(node) || node['type'] === 'Literal') return [];
  return Object.values(node).filter((part) => typeof part === 'object' && part !== null);
}

function problemIn(node: PlainObject): string | null {
  if (node['type'] === 'Slice') return node['step'] === 0 ? 'a slice cannot have a step of 0' : null;
  if (node['type'] !== 'Function') return null;
  const name = String(node['name']);
  const given = Array.isArray(node['children']) ? (node['children'] as unknown[]) : [];
  const called = selectFunctions.get(name);
  if (called === undefined) return `there is no function ${name}()`;
  if (given.length < called.min || given.length > called.max)
    return `${name}() takes ${argumentCount(called)}, not ${given.length}`;
  const takesExpression = (at: number): boolean => called.takes[at]?.includes('expression') === true;
  const wrong = given.findIndex((each, at) => isExpression(each) !== takesExpression(at));
  if (wrong < 0) return null;
  return `argument ${wrong + 1} of ${name}() must ${takesExpression(wrong) ? '' : 'not '}be an expression, such as &name`;
}

function isExpression(node: unknown): boolean {
  return isObject(node) && node['type'] === 'ExpressionReference';
}
