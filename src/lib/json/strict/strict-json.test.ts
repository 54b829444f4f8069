import { describe, expect, it } from 'vitest';
import { maxJsonDepth, parseStrictJson, parseStrictJsonText } from './strict-json.ts';
import fc from '../../../../test/support/property.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('strict JSON', () => {
  it('reads whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : 0);
        expect(parseStrictJson(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":{"b":1,"b":1}}',
    '[{"x":1},{"y":1,"y":2}]',
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"a\"b":1,"a\"b":2}`,
    '{"__proto__":1,"__proto__":2}',
  ])('refuses the same key twice in %s', (text) => {
    expect(() => parseStrictJson(bytes(text))).toThrow('same key twice');
  });

  it.each([
    String.raw`{"a":":","b":"\\","c":"\"::"}`,
    '{"a":1,"A":2}',
    '{"":{"":1}}',
    '{"__proto__":{"x":1}}',
    '{"1":1,"2":2,"01":3}',
  ])('accepts %s', (text) => {
    expect(JSON.stringify(parseStrictJson(bytes(text)))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseStrictJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toThrow('UTF-8');
    expect(() => parseStrictJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toThrow('UTF-8');
  });

  it('refuses nesting beyond the limit, however deep', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseStrictJsonText(nested(maxJsonDepth))).toBeDefined();
    expect(() => parseStrictJsonText(nested(maxJsonDepth + 1))).toThrow('deeper');
    expect(() => parseStrictJsonText(nested(200_000))).toThrow('deeper');
    expect(() => parseStrictJsonText('{"a":'.repeat(100) + '1' + '}'.repeat(100))).toThrow('deeper');
  });

  it.each([
    ['elements', (count: number) => `[${'1,'.repeat(count - 1)}1]`, 300_000],
    ['members', (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join()}}`, 75_000],
    ['empty lists', (count: number) => `[${'[],'.repeat(count - 1)}[]]`, 150_000],
    ['texts that stand for others', (count: number) => `[${'"[,:{",'.repeat(count - 1)}""]`, 300_000],
  ])('refuses too many parts: %s', (_what, make, most) => {
    expect(parseStrictJsonText(make(most))).toBeDefined();
    expect(() => parseStrictJsonText(make(most + 1))).toThrow('too many parts');
  });

  it('takes one text of any length, and counts nothing inside it', () => {
    const text = JSON.stringify({ text: '\\"[,:{'.repeat(200_000) });
    expect(parseStrictJsonText(text)).toEqual(JSON.parse(text));
  });

  it.each(['', '{', '[1,]', "{'a':1}", 'NaN', '{"a":1} x', '\uFEFF{}'])(
    'refuses what is not JSON: %j',
    (text) => {
      expect(() => parseStrictJson(bytes(text))).toThrow('not valid JSON');
    },
  );
});

it('refuses more long numbers than can be read without a pause, and says so', () => {
  const listOf = (count: number) => `[${Array(count).fill('9007199254740993').join()}]`;
  expect(parseStrictJsonText(listOf(20_000))).toHaveLength(20_000);
  expect(() => parseStrictJsonText(listOf(20_001))).toThrow(/more than 20,000 numbers/);
});

it.each<[text: string, hasComment: boolean]>([
  ['{"a": 1 /* one */}', true],
  ['// first\n{"a": 1}', true],
  ['{"a": "\\"", // b\n}', true],
  ['{"a": "http://x"', false],
  ['{"a": 1/2}', false],
  ['{"a": "', false],
])('says whether it is a comment that keeps %j from being JSON', (text, hasComment) => {
  expect(() => parseStrictJson(Buffer.from(text))).toThrow(
    hasComment ? /contains a comment/ : /^The body is not valid JSON\.$/,
  );
});
