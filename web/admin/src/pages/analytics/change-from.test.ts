import { expect, test } from 'vitest';
import { changeFrom } from './change-from.ts';

test('compares with the previous value', () => {
  expect(changeFrom(150, 100)).toBe(0.5);
  expect(changeFrom(0, 10)).toBe(-1);
  expect(changeFrom(5, 0)).toBeNull();
});
