import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathThrough, ticksTo } from './scale.ts';

test('ticks are round, rise evenly and reach the largest value', () => {
  expect(ticksTo(97)).toEqual([0, 25, 50, 75, 100]);
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e9, noNaN: true }), (max) => {
      const ticks = ticksTo(max);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.length).toBeLessThanOrEqual(8);
    }),
  );
});

test('a missing value leaves a gap in the line', () => {
  expect(
    pathThrough([
      [0, 1],
      [1, null],
      [2, 3],
    ]),
  ).toBe('M0.0 1.0M2.0 3.0');
});
