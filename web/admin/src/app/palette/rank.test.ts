import { expect, test } from 'vitest';
import { rank } from './rank.ts';

test('puts the exact name before a beginning, a beginning before a word, a word before a part', () => {
  const found = ['list_pets', 'pets', 'pets_by_id', 'carpets'].toSorted(
    (a, b) => rank(b, 'pets') - rank(a, 'pets'),
  );
  expect(found).toEqual(['pets', 'pets_by_id', 'list_pets', 'carpets']);
});

test('finds every typed word in any order', () => {
  expect(rank('Open the audit log', 'log open')).toBeGreaterThan(0);
  expect(rank('Open the audit log', 'log missing')).toBe(0);
});
