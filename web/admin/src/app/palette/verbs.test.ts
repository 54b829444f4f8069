import { expect, test } from 'vitest';
import { verbOf } from './verbs.ts';

test.each([
  ['disable deleteItem', { verb: 'disable', about: 'deleteItem' }],
  ['rotate key for cursor', { verb: 'rotate', about: 'cursor' }],
  ['Rotar la clave de cursor', { verb: 'rotate', about: 'cursor' }],
  ['calls to listPets', { verb: 'calls', about: 'listPets' }],
  ['try weather', { verb: 'try', about: 'weather' }],
])('reads %s', (typed, read) => {
  expect(verbOf(typed)).toEqual(read);
});

test.each(['disable', 'weather get', '', 'constructor x'])('leaves "%s" to the search', (typed) => {
  expect(verbOf(typed)).toBeNull();
});
