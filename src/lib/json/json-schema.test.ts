import { describe, expect, it } from 'vitest';
import { compileSchema, SchemaError } from './json-schema.ts';

const messages = (schema: Record<string, unknown>, value: unknown) =>
  compileSchema(schema)(value).map(({ path, message }) => `${path} ${message}`);

const tooMuch = 'is too large or too deeply nested to be checked; send less in one call';

describe('a compiled schema', () => {
  it.each([
    [{ type: 'object', required: ['a'] }, {}, '/a is required'],
    [{ properties: { n: { type: 'integer' } } }, { n: 'x' }, '/n must be an integer'],
    [{ properties: { n: { type: ['string', 'null'] } } }, { n: 1 }, '/n must be a string or null'],
    [{ properties: { n: { enum: ['a', 'b'] } } }, { n: 'c' }, '/n must be one of "a", "b"'],
    [{ properties: { n: { const: 1 } } }, { n: 2 }, '/n must be 1'],
    [{ additionalProperties: false, properties: {} }, { x: 1 }, '/x is not a known property'],
    [{ properties: { 'a/b': { type: 'string' } } }, { 'a/b': 1 }, '/a~1b must be a string'],
    [{ properties: { d: { type: 'string', format: 'date' } } }, { d: 'soon' }, '/d must be a valid date'],
    [{ items: { minLength: 2 } }, ['x'], '/0 must not have fewer than 2 characters'],
    [{ prefixItems: [{ type: 'string' }] }, [1], '/0 must be a string'],
  ])('says for %j what is wrong with %j', (schema, value, message) => {
    expect(messages(schema, value)).toEqual([message]);
  });

  describe('with a union', () => {
    const $defs = {
      card: {
        type: 'object',
        properties: {
          type: { const: 'card' },
          number: { type: 'string' },
          holder: { $ref: '#/$defs/person' },
        },
        required: ['type', 'number'],
      },
      bank: {
        title: 'Bank account',
        type: 'object',
        properties: { type: { const: 'bank' }, iban: { type: 'string' }, holder: { $ref: '#/$defs/person' } },
        required: ['type', 'iban'],
      },
      person: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    };
    const source = { oneOf: [{ $ref: '#/$defs/card' }, { $ref: '#/$defs/bank' }] };
    const forms = 'must match one of the allowed forms; closest is';

    it.each<[string, Record<string, unknown>, unknown, string[]]>([
      [
        'of types',
        { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        true,
        ['/u must be a string or an integer'],
      ],
      [
        'of numbers',
        { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 3 }] },
        1.5,
        [`/u ${forms} form 2: must be an integer; must be >= 3`],
      ],
      ['told apart by a constant', source, { type: 'card' }, [`/u ${forms} type "card": number is required`]],
      [
        'with a title and a fault further down',
        source,
        { type: 'bank', iban: 1, holder: {} },
        [`/u ${forms} "Bank account": iban must be a string; holder.name is required`],
      ],
      ['without the constant', source, { iban: 'x' }, [`/u ${forms} "Bank account": type is required`]],
      [
        'of what is required',
        { anyOf: [{ required: ['id'] }, { required: ['name', 'city'] }] },
        {},
        ['/u needs id, or name and city'],
      ],
      [
        'of which two fit',
        { oneOf: [{ type: 'integer' }, { title: 'any number', type: 'number' }] },
        1,
        ['/u must match exactly one of the allowed forms, but matches form 1 and "any number"'],
      ],
      [
        'in a union',
        { anyOf: [{ type: 'null' }, source] },
        { type: 'card' },
        [`/u ${forms} form 2: ${forms} type "card": number is required`],
      ],
    ])('%s: says once what the closest branch misses', (_which, u, value, said) => {
      expect(messages({ properties: { u }, $defs }, { u: value })).toEqual(said);
    });

    it('keeps what is wrong besides', () => {
      const schema = { properties: { u: source, n: { type: 'integer' } }, required: ['m'], $defs };
      expect(messages(schema, { u: { type: 'card' }, n: 'x' })).toEqual([
        '/m is required',
        `/u ${forms} type "card": number is required`,
        '/n must be an integer',
      ]);
    });

    it('says it of each of many values, and how many it does not list', () => {
      const check = compileSchema({ items: source, $defs });
      const found = check(Array.from({ length: 1_000 }, () => ({ type: 'card' })));
      expect(found).toHaveLength(21);
      expect(found[0]!.path).toBe('/0');
      expect(found[20]).toMatchObject({ path: '', message: '980 more problems are not listed' });
    });
  });

  it('suggests the property that was meant', () => {
    const schema = { properties: { titles: {}, page_size: {} }, additionalProperties: false };
    expect(messages(schema, { pageSize: 1, whatever: 2 })).toEqual([
      '/pageSize is not a known property; did you mean page_size?',
      '/whatever is not a known property',
    ]);
  });

  it('ignores keywords and formats it does not know', () => {
    expect(messages({ type: 'string', format: 'made-up', 'x-hint': 1 }, 'y')).toEqual([]);
  });

  it.each([
    ['a reference to another document', { $ref: 'https://example.com/x.json' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a type that does not exist', { type: 'text' }],
  ])('refuses %s', (_what, schema) => {
    expect(() => compileSchema(schema)).toThrow(SchemaError);
  });

  it('tells patterns apart although ajv caches them by their text', () => {
    const check = compileSchema({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
    expect(check({ a: 'a', b: 'b' })).toEqual([]);
    expect(check({ a: 'a', b: 'a' })).toHaveLength(1);
  });

  it('is not slowed down by a pattern that backtracks', () => {
    expect(messages({ pattern: '^(a+)+$' }, `${'a'.repeat(5_000)}!`)).toHaveLength(1);
  });

  it('does not check a pattern that cannot run in linear time', () => {
    expect(messages({ pattern: '(?=x)y' }, 'anything')).toEqual([]);
  });

  it('gives up on references that multiply, instead of working on', () => {
    const $defs: Record<string, unknown> = { end: { type: 'string' } };
    for (let level = 0; level < 40; level++) {
      const next = level === 0 ? 'end' : `level${level - 1}`;
      $defs[`level${level}`] = { allOf: [{ $ref: `#/$defs/${next}` }, { $ref: `#/$defs/${next}` }] };
    }
    expect(compileSchema({ $ref: '#/$defs/level39', $defs })('x')).toEqual([
      { path: '', keyword: 'schema', message: tooMuch },
    ]);
  });

  it('lets a recursive schema check a deep value', () => {
    const schema = {
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } } },
    };
    let value: object = {};
    for (let depth = 0; depth < 60; depth++) value = { child: value };
    expect(compileSchema(schema)(value)).toEqual([]);
  });
});

it('checks patterns of names beside a union', () => {
  const $defs = { tree: { type: 'object', properties: { a: { type: 'object' } } } };
  const schema = {
    type: 'array',
    contains: {
      type: 'object',
      patternProperties: { '^a': { type: 'object' } },
      allOf: [{ oneOf: [{ $ref: '#/$defs/tree' }, { required: ['b'] }] }],
    },
    $defs,
  };
  for (const more of [{}, { unevaluatedItems: false }]) {
    const check = compileSchema({ ...schema, ...more });
    expect(check([{ a: {} }])).toEqual([]);
    expect(check([{ a: 1 }])).not.toEqual([]);
  }
});

describe('work that grows faster than what was sent', () => {
  const branches = Array.from({ length: 200 }, (_, i) => ({ type: 'object', required: [`f${i}`] }));
  const leaves = Array.from({ length: 4_096 }, (_, i) => [
    `f${i}`,
    { anyOf: [{ type: 'string', maxLength: 1 }, { type: 'integer' }] },
  ]);
  const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

  // Done in quadratic time each of these takes seconds or hours; what they come to shows that they were bounded.
  it.each([
    [
      'elements against a union',
      { items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } },
      many(400_000, () => 'x'),
      ` ${tooMuch}`,
    ],
    [
      'elements against many branches',
      { items: { anyOf: [...branches, { type: 'string' }] } },
      many(400_000, () => 'x'),
      ` ${tooMuch}`,
    ],
    [
      'equal objects',
      { uniqueItems: true },
      many(15_000, (i) => ({ a: { b: i % 14_999 } })),
      ' must not have the same item twice',
    ],
    [
      'a long text against a pattern',
      { items: { pattern: '^(a|b|ab)*c$' } },
      many(10, () => 'ab'.repeat(200_000)),
      ` ${tooMuch}`,
    ],
    [
      'properties against a pattern of names',
      { patternProperties: { '(x+x+)+y': { type: 'integer' } }, additionalProperties: { anyOf: branches } },
      Object.fromEntries(many(50_000, (i) => [`p${i}`, {}])),
      ` ${tooMuch}`,
    ],
    ['an address that is none', { format: 'url' }, `http://${':@'.repeat(100_000)}`, ' must be a valid url'],
  ])('is bounded for %s', (_what, schema, value, first) => {
    expect(messages(schema, value)[0]).toBe(first);
  });

  it('tells of unions by the thousand in one pass, and leaves the deepest of a very large schema to the API', () => {
    const check = compileSchema({ properties: { top: { type: 'integer' }, ...Object.fromEntries(leaves) } });
    const value = Object.fromEntries(leaves.map(([name]) => [name, 'xx']));
    expect(check({ top: 'x' })).toEqual([{ path: '/top', keyword: 'type', message: 'must be an integer' }]);
    expect(check(value).length).toBeLessThanOrEqual(20);
  });

  it('lets long lists of ordinary things pass', () => {
    const schema = {
      items: {
        type: 'object',
        properties: { id: { type: 'integer' }, name: { type: 'string', maxLength: 50 } },
      },
    };
    expect(
      messages(
        schema,
        many(100_000, (id) => ({ id, name: `n${id}` })),
      ),
    ).toEqual([]);
  });

  it.each([
    [[1, '1', true, null, { a: 1, b: 2 }, { a: 2, b: 1 }], []],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [' must not have the same item twice'],
    ],
    [
      [
        [1, 2],
        [2, 1],
      ],
      [],
    ],
  ])('tells whether %j has an item twice', (items, wanted) => {
    expect(messages({ uniqueItems: true }, items)).toEqual(wanted);
  });
});

describe('names that every object inherits', () => {
  it.each(['__proto__', 'constructor', 'toString'])('%s is missing where it is required', (name) => {
    const check = compileSchema({ type: 'object', required: [name] });
    expect(check({})).toMatchObject([{ keyword: 'required' }]);
    expect(check(JSON.parse(`{"${name}": 1}`))).toEqual([]);
    const dependent = compileSchema({ type: 'object', dependentRequired: { a: [name] } });
    expect(dependent({ a: 1 })).toHaveLength(1);
  });
});
