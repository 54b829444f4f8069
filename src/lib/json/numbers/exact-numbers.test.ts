import { describe, expect, it } from 'vitest';
import {
  carryAll,
  carryNumber,
  carryWritten,
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
