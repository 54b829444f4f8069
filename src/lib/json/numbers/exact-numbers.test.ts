import { describe, expect, it } from 'vitest';
import fc from '../../../../test/support/property.ts';
import {
  carryAll,
  carryNumber,
  carryWritten,
  isLongNumber,
  jsonText,
  parseExactly,
  parseMarked,
  withDigits,
  writeMarked,
} from './exact-numbers.ts';
import { parseStrictJsonText } from '../strict/strict-json.ts';

const texts = [
  ['an integer beyond 2^53', '{"id":9007199254740993}'],
  ['the largest of 64 bits', '[9223372036854775807,-9223372036854775808,18446744073709551615]'],
  ['neighbours that are one number when read', '{"a":[1234567890123456788,1234567890123456789]}'],
  ['a long fraction', '{"price":12345678901234567.89}'],
  ['a number with an exponent', '[12345678901234567890e2]'],
  ['one far down', '{"a":{"b":[{"c":{"d":9007199254740993}}]},"e":1}'],
  ['beside text with digits', '{"id":9007199254740993,"text":"9007199254740993 \\"9007199254740993\\""}'],
] as const;

describe('long numbers', () => {
  it.each(texts)('%s is written as it was', (_what, text) => {
    expect(jsonText(parseExactly(text))).toBe(text);
    expect(jsonText(parseStrictJsonText(text))).toBe(text);
    expect(writeMarked(JSON.stringify(parseMarked(text)))).toBe(text);
  });

  it.each(texts)('%s has the value that JSON.parse gives it', (_what, text) => {
    expect(parseExactly(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '[1,2.5,"x",null,true]',
    '{"n":123456789012345}',
    '{"pi":3.141592653589793}',
    '0',
    '"1234567890123456789"',
  ])('%s is read and written as always', (text) => {
    expect(jsonText(parseExactly(text))).toBe(text);
    expect(parseExactly(text)).toEqual(JSON.parse(text));
  });

  it.each(['{"a":1234567890123456789', '[12345678901234567890.]', '[01234567890123456789]', '{a:1}', '[1e]'])(
    'text that is no JSON is refused: %s',
    (text) => {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    },
  );

  it('are kept by copies, except where a copy has a value of its own', () => {
    const given = parseExactly('{"a":9007199254740993,"b":9007199254740995}') as Record<string, unknown>;
    const copy = { ...given, b: 'other' };
    carryWritten(given, copy);
    expect(jsonText(copy)).toBe('{"a":9007199254740993,"b":"other"}');
  });

  it('are kept under another name', () => {
    const given = parseExactly('{"a":9007199254740993,"b":{"c":9007199254740995}}') as Record<
      string,
      unknown
    >;
    const fields: Record<string, unknown> = { x: given['a'], y: given['b'] };
    carryNumber(given, 'a', fields, 'x');
    carryNumber(given, 'b', fields, 'y');
    expect(jsonText(fields)).toBe('{"x":9007199254740993,"y":{"c":9007199254740995}}');
  });

  it('are kept by a copy of the whole', () => {
    const text = '{"a":[{"b":9007199254740993}],"c":1}';
    const given = parseExactly(text);
    const copy = structuredClone(given);
    carryAll(given, copy);
    expect(jsonText(copy)).toBe(text);
  });

  it('become their digits where text is written', () => {
    const list = parseExactly('[9007199254740993,1]') as readonly unknown[];
    expect(withDigits(list)).toEqual(['9007199254740993', 1]);
  });
});

/** JSON as the texts of its values, so that what is expected never passes through a number. */
type Tree =
  | { readonly text: string }
  | { readonly items: readonly Tree[] }
  | { readonly fields: readonly (readonly [string, Tree])[] };

const literal = fc.oneof(
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.tuple(fc.nat(), fc.stringMatching(/^\d{2,30}[1-9]$/)).map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom(
    '1.10',
    '12345678901234567890e2',
    '0',
    '-0.5',
    '9007199254740993',
    'true',
    'null',
    '"9007199254740993"',
  ),
);
// A number that cannot be held is written as it was; one that can is written as JavaScript writes it.
const value = literal.map((text): Tree => ({
  text: isLongNumber(text) ? text : JSON.stringify(JSON.parse(text)),
}));
const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    value,
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => ({ items })),
    fc
      .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), tie('tree')), {
        maxLength: 4,
        selector: ([name]) => name,
      })
      .map((fields) => ({ fields })),
  ),
})).tree;

function written(of: Tree): string {
  if ('text' in of) return of.text;
  if ('items' in of) return `[${of.items.map(written).join(',')}]`;
  return `{${of.fields.map(([name, inner]) => `"${name}":${written(inner)}`).join(',')}}`;
}

const inObject = fc.tuple(tree, tree).map(([one, two]): Tree => ({
  fields: [
    ['one', one],
    ['two', two],
  ],
}));
const read = (of: Tree) => parseExactly(written(of)) as Record<string, unknown>;

describe('long numbers of any document', () => {
  it('survive reading and writing, whichever parser read them', () => {
    fc.assert(
      fc.property(inObject, (of) => {
        const text = written(of);
        expect(jsonText(parseExactly(text))).toBe(text);
        expect(jsonText(parseStrictJsonText(text))).toBe(text);
        expect(writeMarked(JSON.stringify(parseMarked(text)))).toBe(text);
      }),
    );
  });

  it('survive a copy, and a copy of the whole', () => {
    fc.assert(
      fc.property(inObject, (of) => {
        const given = read(of);
        const copy = { ...given };
        carryWritten(given, copy);
        const whole = structuredClone(given);
        carryAll(given, whole);
        expect([jsonText(copy), jsonText(whole)]).toEqual([written(of), written(of)]);
      }),
    );
  });

  it('survive an edit of another field, and give way to their own', () => {
    fc.assert(
      fc.property(inObject, (of) => {
        const given = read(of);
        const edited = { ...given, two: 'edited' };
        carryWritten(given, edited);
        expect(jsonText(edited)).toBe(
          `{"one":${written((of as { fields: [string, Tree][] }).fields[0]![1])},"two":"edited"}`,
        );
      }),
    );
  });

  it('survive another name', () => {
    fc.assert(
      fc.property(inObject, (of) => {
        const given = read(of);
        const renamed: Record<string, unknown> = { x: given['one'], y: given['two'] };
        carryNumber(given, 'one', renamed, 'x');
        carryNumber(given, 'two', renamed, 'y');
        const [[, one], [, two]] = (of as { fields: [[string, Tree], [string, Tree]] }).fields;
        expect(jsonText(renamed)).toBe(`{"x":${written(one)},"y":${written(two)}}`);
      }),
    );
  });
});
