import { expect, it } from 'vitest';
import { trimBothOf, trimEndOf } from './tidy-text.ts';

it.each([
  ['https://a.example//', 'https://a.example'],
  ['///', ''],
  ['', ''],
  ['a/b', 'a/b'],
])('takes the slashes off the end of %j', (text, wanted) => {
  expect(trimEndOf(text, '/')).toBe(wanted);
});

it.each([
  ['__a_b__', 'a_b'],
  ['____', ''],
  ['a', 'a'],
])('takes the underscores off both ends of %j', (text, wanted) => {
  expect(trimBothOf(text, '_')).toBe(wanted);
});
