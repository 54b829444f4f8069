import { expect, test } from 'vitest';
import { placesOf } from './prompt-places.ts';

test('finds each place of a prompt once', () => {
  expect(placesOf('Compare {{ city }} with {{other}}, then {{city}} again. {not}')).toEqual([
    'city',
    'other',
  ]);
});
