import { expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

it.each([
  ['\u001b[31mAda\u001b[0m\r\nowner', '[31mAda [0m owner'],
  ['  Ada\u202e\u2066 Lovelace\u0000 ', 'Ada Lovelace'],
  ['a\ud800b', 'a b'],
  ['Ñandú 日本 👍', 'Ñandú 日本 👍'],
  ['', ''],
])('shows %j in one line', (text, shown) => {
  expect(oneLine(text, 50)).toBe(shown);
});

it('cuts between characters', () => {
  expect(oneLine('abc👍', 4)).toBe('abc');
  expect(oneLine(' '.repeat(5_000) + 'late', 100)).toBe('');
});
