import { expect, test } from 'vitest';
import { layOut, piecesOf } from './json-pieces.ts';
import fc from '../../../../../test/support/property.ts';

test('joined together, the pieces are the text again, whatever it was', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const joined = piecesOf(text).map((piece) => piece.text);
      expect(joined.join('')).toBe(text);
    }),
  );
});

test('tells keys from texts', () => {
  expect(piecesOf('{"a":"b"}').map((piece) => piece.kind)).toEqual(['mark', 'key', 'mark', 'text', 'mark']);
});

test('leaves text alone that is not JSON', () => {
  expect(layOut('{not json')).toBe('{not json');
  expect(layOut('{"a":1}')).toBe('{\n  "a": 1\n}');
});
