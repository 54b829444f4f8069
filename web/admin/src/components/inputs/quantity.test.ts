import { expect, test } from 'vitest';
import { inWords, sizeOf, sizes, times, unitFor } from './quantity.ts';
import fc from '../../../../../test/support/property.ts';

test('an amount uses the largest unit in which it is whole', () => {
  expect([0, 500, 1_500, 5_000, 60_000, 90_000, 7_200_000].map((ms) => inWords(ms, times, String))).toEqual([
    '0 ms',
    '500 ms',
    '1500 ms',
    '5 s',
    '1 min',
    '90 s',
    '2 h',
  ]);
  expect([1_000, 5_242_880].map((bytes) => inWords(bytes, sizes, String))).toEqual(['1000 B', '5 MiB']);
});

test('nothing is lost between an amount and its words', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(times, sizes), (amount, units) => {
      const size = sizeOf(unitFor(amount, units), units);
      expect((amount / size) * size).toBe(amount);
    }),
  );
});
