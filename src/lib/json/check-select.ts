import { isObject, type PlainObject } from './plain-object.ts';

/** How many arguments a function takes, and which of them is an expression (`&name`). */
interface Takes {
  readonly least: number;
  readonly most: number;
  readonly expression?: number;
}

const one = { least: 1, most: 1 };
const two = { least: 2, most: 2 };
const oneOrTwo = { least: 1, most: 2 };
const upToFour = { least: 2, most: 4 };
const any = { least: 1, most: Infinity };
const thenExpression = { ...two, expression: 1 };

/** The functions of JMESPath; a test holds the table to the library, which tells of a wrong call only when it is made. */
export const selectFunctions: ReadonlyMap<string, Takes> = new Map<string, Takes>([
  ...['abs', 'ceil', 'floor', 'lower', 'upper', 'keys', 'values', 'avg', 'from_items', 'items'].map(
    taking(one),
  ),
  ...['length', 'max', 'min', 'reverse', 'sort', 'sum', 'to_array', 'to_number', 'to_string', 'type'].map(
    taking(one),
  ),
  ...['contains', 'ends_with', 'starts_with', 'join'].map(taking(two)),
  ...['sort_by', 'max_by', 'min_by', 'group_by'].map(taking(thenExpression)),
  ['map', { ...two, expression: 0 }],
  ...['merge', 'not_null', 'zip'].map(taking(any)),
  ...['find_first', 'find_last'].map(taking(upToFour)),
  ...['pad_left', 'pad_right', 'split'].map(taking({ least: 2, most: 3 })),
  ['replace', { least: 3, most: 4 }],
  ...['trim', 'trim_left', 'trim_right'].map(taking(oneOrTwo)),
]);

function taking(takes: Takes): (name: string) => readonly [string, Takes] {
  return (name) => [name, takes];
}

/** What is wrong with an expression whatever it is applied to, told by its tree; null when that depends on the data. */
export function problemInTree(tree: unknown): string | null {
  const left: unknown[] = [tree];
  while (left.length > 0) {
    const node = left.pop();
    if (Array.isArray(node)) left.push(...(node as unknown[]));
    if (!isObject(node)) continue;
    const problem = problemIn(node);
    if (problem !== null) return problem;
    // What an expression quotes is data.
    if (node['type'] !== 'Literal') left.push(...Object.values(node));
  }
  return null;
}

function problemIn(node: PlainObject): string | null {
  if (node['type'] === 'Slice') return node['step'] === 0 ? 'a slice cannot have the step 0' : null;
  if (node['type'] !== 'Function') return null;
  const name = String(node['name']);
  const given = Array.isArray(node['children']) ? (node['children'] as unknown[]) : [];
  const takes = selectFunctions.get(name);
  if (takes === undefined) return `there is no function ${name}()`;
  const { least, most, expression } = takes;
  if (given.length < least || given.length > most)
    return `${name}() takes ${numberOf(takes)}, not ${given.length}`;
  const wrong = given.findIndex((each, at) => isExpression(each) !== (at === expression));
  if (wrong < 0) return null;
  return `argument ${wrong + 1} of ${name}() must ${wrong === expression ? '' : 'not '}be an expression, such as &name`;
}

function numberOf({ least, most }: Takes): string {
  if (most === Infinity) return `${least} argument or more`;
  return least === most ? `${least} argument${least === 1 ? '' : 's'}` : `${least} to ${most} arguments`;
}

function isExpression(node: unknown): boolean {
  return isObject(node) && node['type'] === 'ExpressionReference';
}
