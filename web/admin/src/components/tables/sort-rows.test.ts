import { describe, expect, it } from 'vitest';
import { nextSort, readSort, sortRows, writeSort } from './sort-rows.ts';

describe('sorting a table', () => {
  it('sorts numbers from largest to smallest, back, and to the original order', () => {
    const first = nextSort(null, 'tokens', true);
    const second = nextSort(first, 'tokens', true);
    expect([first, second, nextSort(second, 'tokens', true)]).toEqual([
      { id: 'tokens', isDescending: true },
      { id: 'tokens', isDescending: false },
      null,
    ]);
    expect(nextSort(first, 'name', false)).toEqual({ id: 'name', isDescending: false });
  });

  it.each(['-calls', 'name', ''])('is the same after it was kept in an address as "%s"', (text) => {
    expect(writeSort(readSort(text))).toBe(text);
  });

  it('keeps the order of equal rows', () => {
    const rows = [
      { name: 'b', tokens: 1 },
      { name: 'a', tokens: 2 },
      { name: 'c', tokens: 1 },
    ];
    const names = (isDescending: boolean) =>
      sortRows(rows, ({ tokens }) => tokens, { id: 'tokens', isDescending }).map(({ name }) => name);
    expect([names(true), names(false)]).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c', 'a'],
    ]);
    expect(sortRows(rows, undefined, null)).toBe(rows);
  });
});
