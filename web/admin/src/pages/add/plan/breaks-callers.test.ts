import { expect, test } from 'vitest';
import { breaksCallers } from './breaks-callers.ts';

const at = (path: string, before?: unknown, after?: unknown) => breaksCallers([{ path, before, after }]);

test('an input that is gone, newly required or of another type breaks callers', () => {
  expect(at('/operation/parameters/query limit', { name: 'limit' })).toBe(true);
  expect(at('/operation/parameters/query kind', undefined, { name: 'kind', required: true })).toBe(true);
  expect(at('/operation/parameters/query limit/required', false, true)).toBe(true);
  expect(at('/operation/parameters/query limit/schema/type', 'integer', 'string')).toBe(true);
});

test('anything else does not', () => {
  expect(at('/operation/parameters/query kind', undefined, { name: 'kind', required: false })).toBe(false);
  expect(at('/operation/parameters/query limit/required', true, false)).toBe(false);
  expect(at('/operation/parameters/query limit/description', 'a', 'b')).toBe(false);
  expect(at('/description', 'a', 'b')).toBe(false);
});
