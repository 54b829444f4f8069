import { tokenBound } from '../../lib/text/token-bound.ts';
import { type Skim, SkimmedList, SkimmedObject } from './skim-json.ts';

// Tried in order until the shape is short enough.
const limits: readonly (readonly [depth: number, keys: number])[] = [
  [8, 200],
  [6, 60],
  [5, 30],
  [4, 20],
  [3, 15],
  [2, 10],
  [1, 10],
  [1, 3],
];

/**
 * What a JSON value looks like: every leaf as the name of its type, a list as its first item and its length.
 * Deep or wide values are shown in less detail until the shape costs at most `maxTokens`.
 */
export function inferShape(value: Skim, maxTokens: number): unknown {
  for (const [depth, keys] of limits) {
    const shape = shapeOf(value, depth, keys);
    if (tokenBound(JSON.stringify(shape)) <= maxTokens) return shape;
  }
  return typeName(value);
}

function shapeOf(value: Skim, depth: number, maxKeys: number): unknown {
  if (value instanceof SkimmedList) {
    const [first] = value.items;
    if (first === undefined) return value.length === 0 ? [] : [`${value.length} items`];
    return [depth > 0 ? shapeOf(first, depth - 1, maxKeys) : typeName(first), `${value.length} items`];
  }
  if (!(value instanceof SkimmedObject)) return typeName(value);
  if (depth === 0) return 'object';
  const shape: [string, unknown][] = [...value.fields]
    .slice(0, maxKeys)
    .map(([key, inner]) => [key.slice(0, 100), shapeOf(inner, depth - 1, maxKeys)]);
  const left = value.size - shape.length;
  if (left > 0) shape.push(['…', `${left} more fields`]);
  return Object.fromEntries(shape);
}

function typeName(value: Skim): string {
  if (value === null) return 'null';
  if (value instanceof SkimmedList) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
