import { describe, expect, it, test } from 'vitest';
import { areaBelow, bandBetween, bridge, labelPlaces, pathThrough, ticksTo } from './scale.ts';
import fc from '../../../../../test/support/property.ts';

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

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [3, [0, 1, 2, 3]],
  [5, [0, 2, 4, 6]],
  [9, [0, 5, 10]],
  [97, [0, 25, 50, 75, 100]],
])('counts to %i in whole steps', (max, ticks) => {
  expect(ticksTo(max, true)).toEqual(ticks);
});

test('counts have whole ticks only', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), (max) => {
      const ticks = ticksTo(max, true);
      expect(ticks.filter((tick) => !Number.isInteger(tick))).toEqual([]);
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

test('shades the area below each segment of a line', () => {
  expect(
    areaBelow(
      [
        [0, 5],
        [1, 4],
        [2, null],
        [3, 3],
      ],
      9,
    ),
  ).toBe('M0.0 5.0L1.0 4.0L1.0 9L0.0 9ZM3.0 3.0L3.0 9L3.0 9Z');
});

describe('a band', () => {
  it.each([
    [
      'two points',
      [
        [0, 1, 5],
        [10, 2, 6],
      ],
      'M0.0 1.0L10.0 2.0L10.0 6.0L0.0 5.0Z',
    ],
    [
      'a gap in either line',
      [
        [0, 1, 5],
        [10, null, 6],
        [20, 2, 6],
        [30, 3, null],
      ],
      '',
    ],
    ['a single point', [[0, 1, 5]], ''],
  ] as const)('between lines with %s', (_what, points, path) => {
    expect(bandBetween(points)).toBe(path);
  });
});

test('labels go from the first to the last point', () => {
  expect(labelPlaces(97, 5)).toEqual([0, 24, 48, 72, 96]);
  expect([labelPlaces(0, 5), labelPlaces(1, 5), labelPlaces(3, 9)]).toEqual([[], [0], [0, 1, 2]]);
});

test('gaps are bridged, but not what comes before and after', () => {
  expect(bridge([null, 1, null, null, 4, null])).toEqual([null, 1, 2, 3, 4, null]);
});
