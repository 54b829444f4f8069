import { expect, test } from 'vitest';
import { placesOf } from './prompt-placeholders.ts';

test('finds each placeholder of a prompt once', () => {
  expect(placesOf('Compare {{ city }} with {{other}}, then {{city}} again. {not}')).toEqual([
    'city',
    'other',
  ]);
});
