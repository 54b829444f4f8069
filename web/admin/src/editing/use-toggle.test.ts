import { expect, test } from 'vitest';
import { withEnabled } from './use-toggle.ts';

test('toggles one item in a list, in a page and in pages of pages', () => {
  const things = [
    { id: 'a', enabled: true },
    { id: 'b', enabled: true },
  ];
  const switched = [
    { id: 'a', enabled: true },
    { id: 'b', enabled: false },
  ];
  expect(withEnabled(things, 'b', false)).toEqual(switched);
  expect(withEnabled({ items: things, total: 2 }, 'b', false)).toEqual({ items: switched, total: 2 });
  expect(withEnabled({ pages: [{ items: things }] }, 'b', false)).toEqual({ pages: [{ items: switched }] });
});

test('leaves replies without the item unchanged', () => {
  expect(withEnabled(undefined, 'b', false)).toBeUndefined();
  expect(withEnabled({ total: 1 }, 'b', false)).toEqual({ total: 1 });
});
