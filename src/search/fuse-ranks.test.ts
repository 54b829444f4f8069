import { expect, it } from 'vitest';
import { fuseRanks } from './search-index.ts';

it.each([
  [[['a', 'b', 'c']], ['a', 'b', 'c']],
  [
    [['a', 'b'], []],
    ['a', 'b'],
  ],
  [
    [
      ['a', 'b', 'c'],
      ['c', 'b', 'x'],
    ],
    ['c', 'b', 'a', 'x'],
  ],
  [
    [['a'], ['b']],
    ['a', 'b'],
  ],
])('one order is made of %j', (orders, fused) => {
  expect(fuseRanks(orders)).toEqual(fused);
});
