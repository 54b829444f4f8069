import { describe, expect, it } from 'vitest';
import { JsonPathError, parseJsonPath } from './parse-json-path.ts';
import { selectNodes } from './select-nodes.ts';

const shop = {
  name: 'shop',
  limit: 10,
  items: [
    { kind: 'book', title: 'Ants', price: 8.5, tags: ['old', 'thin'] },
    { kind: 'book', title: 'Bees', price: 22 },
    { kind: 'toy', price: 10, 'x-y': null },
    'loose',
    [1, [2]],
  ],
  nested: { items: { kind: 'box' }, '☃': { price: 1 } },
};

const values = (path: string, document: unknown = shop) =>
  selectNodes(parseJsonPath(path), document).map(({ value }) => value);
const places = (path: string) => selectNodes(parseJsonPath(path), shop).map(({ keys }) => keys.join('/'));

describe('a JSONPath', () => {
  it.each<[string, string[]]>([
    ['$', ['']],
    ['$.name', ['name']],
    ["$['name']", ['name']],
    ['$["items"][0]', ['items/0']],
    ['$.items[-1]', ['items/4']],
    ['$.items[9]', []],
    ['$.items[0,2]', ['items/0', 'items/2']],
    ['$.items[1:3]', ['items/1', 'items/2']],
    ['$.items[::-2]', ['items/4', 'items/2', 'items/0']],
    ['$.items[3:1:-1]', ['items/3', 'items/2']],
    ['$.items[::0]', []],
    ['$.nested.*', ['nested/items', 'nested/☃']],
    ['$.nested.☃', ['nested/☃']],
    ['$..price', ['items/0/price', 'items/1/price', 'items/2/price', 'nested/☃/price']],
    ['$..[1]', ['items/1', 'items/0/tags/1', 'items/4/1']],
    ['$ .nested [ "items" , \'☃\' ]', ['nested/items', 'nested/☃']],
    ['$.items.name', []],
    ['$.constructor', []],
  ])('%s leads to %j', (path, expected) => {
    expect(places(path)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ["?@.kind=='book'", ['0', '1']],
    ["?@.kind == 'book' && @.price < 10", ['0']],
    ["?@.kind=='toy' || @.title=='Bees'", ['1', '2']],
    ['?@.tags', ['0']],
    ['?!@.price', ['3', '4']],
    ["?!(@.kind=='book')", ['2', '3', '4']],
    ["?(@.tags[?(@ == 'thin')])", ['0']],
    ["?@['x-y']==null", ['2']],
    ['?@.none==null', []],
    ['?@.none==@.nothing', ['0', '1', '2', '3', '4']],
    ['?@.price==$.limit', ['2']],
    ['?@.price>=10', ['1', '2']],
    ["?@=='loose'", ['3']],
    ["?@<'m'", ['3']],
    ['?length(@)==2', ['4']],
    ['?length(@.title)>3', ['0', '1']],
    ['?count(@.*)==4', ['0']],
    ["?match(@.title, 'A.*')", ['0']],
    ["?match(@.title, 'A')", []],
    ["?search(@.title, '[ns]t')", ['0']],
    ["?search(@.title, '(?=x)')", []],
    ['?value(@..price)==22', ['1']],
    ['?@==@', ['0', '1', '2', '3', '4']],
    ["?@.title>'B'", ['1']],
    ["?@.kind!='book'", ['2', '3', '4']],
  ])('with [%s] filters to %j', (filter, expected) => {
    expect(places(`$.items[${filter}]`).map((place) => place.split('/')[1])).toEqual(expected);
  });

  it('reads the escapes of JSON in names, and both kinds of quotes', () => {
    const document = { 'a"b': 1, "c'd": 2, 'é\n': 3, '😀': 4 };
    expect(values(String.raw`$['a"b',"c'd",'c\'d',"\u00e9\n",'\ud83d\ude00']`, document)).toEqual([
      1, 2, 2, 3, 4,
    ]);
  });

  it.each([
    '',
    'name',
    '$.',
    '$..',
    '$.1a',
    '$./path',
    '$[name]',
    "$['a'",
    '$[01]',
    '$[-0]',
    '$[9007199254740993]',
    '$[?]',
    '$[?1]',
    "$[?'a']",
    '$[?@.*==1]',
    '$[?@..a==1]',
    '$[?!@.a==1]',
    '$[?length(@)]',
    "$[?match(@.a,'b')==true]",
    '$[?count(1)==1]',
    '$[?nothing(@)]',
    '$[?(@.a]',
    '$[?@.a==1 &&]',
    '$.a ',
    String.raw`$['\x']`,
    String.raw`$['\ud800']`,
    "$['\n']",
    `$[?${'('.repeat(60)}@.a${')'.repeat(60)}]`,
    `$${'.a'.repeat(3_000)}`,
  ])('is refused when it is none: %j', (path) => {
    expect(() => parseJsonPath(path)).toThrow(JsonPathError);
  });

  it('stops when it looks at too much, however the path is written', () => {
    const wide = Array.from({ length: 3_000 }, () => [1]);
    expect(() => values('$..*[?count($..*)>1]', wide)).toThrow('too many values');
  });
});
