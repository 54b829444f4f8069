import { isObject } from '../../lib/json/plain-object.ts';
import { tokenBound } from '../../lib/text/token-bound.ts';

// Each is tried until the shape is short enough.
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
 * What a JSON value looks like: every leaf as the name of its type, a list as its first item and how many there are.
 * Deep or wide ones are told in less detail until the shape costs at most `maxTokens`.
 */
export function inferShape(value: unknown, maxTokens: number): unknown {
  for (const [depth, keys] of limits) {
    const shape = shapeOf(value, depth, keys);
    if (tokenBound(JSON.stringify(shape)) <= maxTokens) return shape;
  }
  return typeName(value);
}

function shapeOf(value: unknown, depth: number, mostKeys: number): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    return [depth > 0 ? shapeOf(value[0], depth - 1, mostKeys) : typeName(value[0]), `${value.length} items`];
  }
  if (!isObject(value)) return typeName(value);
  if (depth === 0) return 'object';
  const keys = Object.keys(value);
  const shape: [string, unknown][] = keys
    .slice(0, mostKeys)
    .map((key) => [key.slice(0, 100), shapeOf(value[key], depth - 1, mostKeys)]);
  if (keys.length > mostKeys) shape.push(['…', `${keys.length - mostKeys} more fields`]);
  return Object.fromEntries(shape);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
