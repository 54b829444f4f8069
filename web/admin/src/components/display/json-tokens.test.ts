import { expect, test } from 'vitest';
import { prettyPrint, tokenizeJson } from './json-tokens.ts';
import fc from '../../../../../test/support/property.ts';

test('tokens joined together are the original text, whatever it was', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const joined = tokenizeJson(text).map((piece) => piece.text);
      expect(joined.join('')).toBe(text);
    }),
  );
});

test('distinguishes keys from strings', () => {
  expect(tokenizeJson('{"a":"b"}').map((piece) => piece.kind)).toEqual([
    'mark',
    'key',
    'mark',
    'text',
    'mark',
  ]);
});

test('leaves text that is not JSON unchanged', () => {
  expect(prettyPrint('{not json')).toBe('{not json');
  expect(prettyPrint('{"a":1}')).toBe('{\n  "a": 1\n}');
});
