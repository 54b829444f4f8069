import { expect, it } from 'vitest';
import { repeatedKeys } from './repeated-keys.ts';
import fc from '../../../test/support/property.ts';

it.each([
  ['{"a":1,\n"b":{"a":1},"a":2}', [{ key: 'a', line: 2 }]],
  ['{"a" : "x\\"a\\":", "\\u0061":2}', [{ key: 'a', line: 1 }]],
  ['[{"a":1},{"a":1,"a":2}]', [{ key: 'a', line: 1 }]],
  ['{"x":["a","a"],"y":"a:","z":"\\\\"}', []],
  ['{"a":{"b":{"c":{"d":1,"d":2}}}}', []],
])('%s', (json, found) => {
  expect(repeatedKeys(json, 3)).toEqual(found);
});

it('finds none in what was written by JSON.stringify, and every one that is added', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.json()), fc.string(), (entries, key) => {
      const text = JSON.stringify(entries);
      expect(repeatedKeys(text, 9)).toEqual([]);
      const twice = `{${JSON.stringify(key)}:${text},${JSON.stringify(key)}:1}`;
      expect(repeatedKeys(twice, 9)).toEqual([{ key, line: 1 }]);
    }),
  );
});
