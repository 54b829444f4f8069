import { describe, expect, it } from 'vitest';
import { contains } from './evaluate.ts';

describe('arguments that matter', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ state: 'open', page: 2 }, { state: 'open' }, true],
    [{ filter: { state: 'open', by: 'Ada' } }, { filter: { state: 'open' } }, true],
    [{ ids: [1, 2] }, { ids: [1, 2] }, true],
    [{ ids: [1, 2, 3] }, { ids: [1, 2] }, false],
    [{ state: 'closed' }, { state: 'open' }, false],
    [{}, { state: 'open' }, false],
    [{}, { constructor: {} }, false],
    [{ id: '7' }, { id: 7 }, false],
    [null, { id: 7 }, false],
    [[1], {}, false],
  ])('of %j are %j: %s', (given, wanted, isThere) => {
    expect(contains(given, wanted)).toBe(isThere);
  });
});
