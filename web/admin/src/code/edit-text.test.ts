import { expect, it } from 'vitest';
import { indentAfter, rangeOfLine } from './edit-text.ts';

it.each([
  ['const a = {', '  '],
  ['  return list.map((', '    '],
  ['  done();', '  '],
  ['a {\n  b', '  '],
  ['', ''],
])('begins the line after %j with %j', (text, expected) => {
  expect(indentAfter(text, text.length)).toBe(expected);
});

it.each([
  ['a\nbb\nc', 2, 'bb'],
  ['a\nbb\nc', 3, 'c'],
  ['a\nbb', 9, 'bb'],
  ['', 1, ''],
])('finds in %j line %d', (text, line, expected) => {
  const { from, to } = rangeOfLine(text, line);
  expect(text.slice(from, to)).toBe(expected);
});
