import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { Parameter } from '../../domain/operation.ts';
import { cookieWriter, headerWriter, pairsWriter, pathWriter } from './serialize-parameter.ts';
import fc from '../../../test/support/property.ts';

const colors = ['blue', 'black', 'brown'];
const rgb = { R: 100, G: 200, B: 150 };

function parameter(place: Parameter['in'], rest: Partial<Parameter> = {}): Parameter {
  return { name: 'color', in: place, schema: {}, required: false, ...rest };
}

// The rows of https://spec.openapis.org/oas/v3.1.1#style-examples.
describe('path styles', () => {
  it.each<[Partial<Parameter>, JsonValue, string]>([
    [{ style: 'matrix' }, '', ';color'],
    [{ style: 'matrix' }, 'blue', ';color=blue'],
    [{ style: 'matrix' }, colors, ';color=blue,black,brown'],
    [{ style: 'matrix' }, rgb, ';color=R,100,G,200,B,150'],
    [{ style: 'matrix', explode: true }, colors, ';color=blue;color=black;color=brown'],
    [{ style: 'matrix', explode: true }, rgb, ';R=100;G=200;B=150'],
    [{ style: 'label' }, 'blue', '.blue'],
    [{ style: 'label' }, colors, '.blue,black,brown'],
    [{ style: 'label' }, rgb, '.R,100,G,200,B,150'],
    [{ style: 'label', explode: true }, colors, '.blue.black.brown'],
    [{ style: 'label', explode: true }, rgb, '.R=100.G=200.B=150'],
    [{}, 'blue', 'blue'],
    [{ schema: { type: 'array' } }, colors, 'blue,black,brown'],
    [{ style: 'simple' }, rgb, 'R,100,G,200,B,150'],
    [{ explode: true }, rgb, 'R=100,G=200,B=150'],
    [{ contentType: 'application/json' }, rgb, '%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D'],
    [{ style: 'pipeDelimited' }, ['a', 'b'], 'a%7Cb'],
  ])('%j writes %j as %s', (rest, value, expected) => {
    expect(pathWriter(parameter('path', rest))(value)).toBe(expected);
  });

  it.each<[JsonValue]>([[colors], [rgb]])(
    'refuses %j where the operation describes a single value',
    (value) => {
      const write = pathWriter(parameter('path', { schema: { type: ['string', 'integer'] } }));
      expect(() => write(value)).toThrow('color must be a single value');
    },
  );

  it('keeps a slash inside its own segment, also with allowReserved', () => {
    expect(pathWriter(parameter('path'))('a/b?c#d')).toBe('a%2Fb%3Fc%23d');
    expect(pathWriter(parameter('path', { allowReserved: true }))('a/b?c#d:e@f')).toBe('a%2Fb%3Fc%23d:e@f');
  });
});

describe('a path argument that is several segments', () => {
  const write = pathWriter(parameter('path', { keepSlashes: true }));

  it('sends its slashes, and nothing else that would leave the path', () => {
    expect(write('projects/p 1/jobs:run')).toBe('projects/p%201/jobs:run');
    expect(write('a/b?c#d')).toBe('a/b%3Fc%23d');
  });

  it.each(['/etc', 'a//b', 'a\\b', '//host'])('refuses %j', (value) => {
    expect(() => write(value)).toThrow('separated by single slashes');
  });
});

describe('query styles', () => {
  it.each<[Partial<Parameter>, JsonValue, string]>([
    [{}, '', 'color='],
    [{}, 'blue', 'color=blue'],
    [{}, 0, 'color=0'],
    [{}, false, 'color=false'],
    [{}, colors, 'color=blue&color=black&color=brown'],
    [{ explode: false }, colors, 'color=blue,black,brown'],
    [{}, rgb, 'R=100&G=200&B=150'],
    [{ explode: false }, rgb, 'color=R,100,G,200,B,150'],
    [{ style: 'spaceDelimited', explode: false }, colors, 'color=blue%20black%20brown'],
    [{ style: 'spaceDelimited', explode: false }, rgb, 'color=R%20100%20G%20200%20B%20150'],
    [{ style: 'pipeDelimited', explode: false }, colors, 'color=blue%7Cblack%7Cbrown'],
    [{ style: 'pipeDelimited', explode: true }, colors, 'color=blue&color=black&color=brown'],
    [{ style: 'tabDelimited', explode: false }, colors, 'color=blue%09black%09brown'],
    [{ style: 'deepObject' }, rgb, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    [
      { style: 'deepObject' },
      { a: { b: [1, { c: 2 }] } },
      'color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=2',
    ],
    [{ style: 'deepObject' }, ['x', 'y'], 'color%5B0%5D=x&color%5B1%5D=y'],
    [{ contentType: 'application/json' }, { a: [1] }, 'color=%7B%22a%22%3A%5B1%5D%7D'],
    [{ key: 'filter[name]' }, 'x', 'filter%5Bname%5D=x'],
    [{ explode: false }, ['a,b', 'c'], 'color=a%2Cb,c'],
    [{ allowReserved: true }, 'a/b:c,d&e#f %41', 'color=a/b:c,d%26e%23f%20%41'],
    [{}, "it's (a) test!*", 'color=it%27s%20%28a%29%20test%21%2A'],
  ])('%j writes %j as %s', (rest, value, expected) => {
    expect(pairsWriter(parameter('query', rest))(value).join('&')).toBe(expected);
  });

  it.each<JsonValue>([null, [], {}, [null]])('leaves %j out, which RFC 6570 calls undefined', (value) => {
    expect(pairsWriter(parameter('query'))(value)).toEqual([]);
    expect(pairsWriter(parameter('query', { explode: false }))(value)).toEqual([]);
    expect(pairsWriter(parameter('query', { style: 'deepObject' }))(value)).toEqual([]);
  });

  it('never lets a value out of its own pair', () => {
    const styles = [
      {},
      { explode: false },
      { allowReserved: true },
      { style: 'deepObject' as const },
      { style: 'pipeDelimited' as const, explode: false },
    ];
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...styles), (value, rest) => {
        const [pair] = pairsWriter(parameter('query', rest))(value);
        expect(pair).toMatch(/^color=[^&#]*$/);
        const url = new URL(`http://h/p?${pair}`);
        expect([...url.searchParams.keys()]).toEqual(['color']);
      }),
    );
  });

  it('carries every string unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(new URLSearchParams(pairsWriter(parameter('query'))(value)[0]).get('color')).toBe(value);
        expect(decodeURIComponent(pathWriter(parameter('path'))(value))).toBe(value);
      }),
    );
  });

  it('refuses half a character', () => {
    expect(() => pairsWriter(parameter('query'))('\ud800')).toThrow('half of a character');
  });
});

describe('headers and cookies', () => {
  it.each<[Partial<Parameter>, JsonValue, string | null]>([
    [{}, 'a b', 'a b'],
    [{ schema: { type: 'array' } }, colors, 'blue,black,brown'],
    [{ style: 'simple' }, rgb, 'R,100,G,200,B,150'],
    [{ explode: true }, rgb, 'R=100,G=200,B=150'],
    [{ contentType: 'application/json' }, { a: 1 }, '{"a":1}'],
    [{}, null, null],
    [{}, [], null],
  ])('header %j writes %j as %j', (rest, value, expected) => {
    expect(headerWriter(parameter('header', rest))(value)).toBe(expected);
  });

  it.each(['a\r\nX-Evil: 1', 'a\0b', '日本'])('refuses a header value like %j', (value) => {
    expect(() => headerWriter(parameter('header'))(value)).toThrow('a header cannot carry');
  });

  it('writes cookies one pair each, and refuses what would end a cookie', () => {
    expect(cookieWriter(parameter('cookie'))('a;b=c')).toEqual(['color=a%3Bb%3Dc']);
    expect(cookieWriter(parameter('cookie', { explode: false }))(colors)).toEqual(['color=blue,black,brown']);
    expect(cookieWriter(parameter('cookie', { style: 'cookie' }))(colors)).toEqual([
      'color=blue',
      'color=black',
      'color=brown',
    ]);
    expect(() => cookieWriter(parameter('cookie', { style: 'cookie' }))('a;b')).toThrow(
      'cookie cannot carry',
    );
  });
});
