import { describe, expect, it } from 'vitest';
import { TooMuchWork, WorkBudget } from '../src/schema/budget.ts';
import { compilePattern, UnsupportedPattern } from '../src/schema/pattern.ts';
import { compileWithAjv } from '../src/server/compile-with-ajv.ts';
import { compileWithoutCode } from '../src/server/compile-without-code.ts';
import fc from '../../../test/support/property.ts';

const budget = () => new WorkBudget(10_000_000);

/** The verdicts and failures of both validators, in an order that doesn't depend on the validator. */
function bothOn(schema: unknown, value: unknown) {
  const text = JSON.stringify(schema);
  const sorted = (list: { path: string; keyword?: string; message: string }[]) =>
    list.map(({ path, keyword, message }) => `${path} ${keyword}: ${message}`).toSorted();
  const compiled = compileWithAjv(JSON.parse(text), budget());
  const walked = compileWithoutCode(JSON.parse(text), budget());
  return { ajv: sorted(compiled(value)), walker: sorted(walked(value)) };
}

describe('the walker and Ajv', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const leaf = fc.oneof(
    fc
      .constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array')
      .map((type) => ({ type })),
    fc.record({ type: fc.constant(['string', 'null']) }),
    fc.record({
      enum: fc.uniqueArray(fc.jsonValue({ maxDepth: 1 }), {
        minLength: 1,
        maxLength: 3,
        comparator: (x, y) => JSON.stringify(x) === JSON.stringify(y),
      }),
    }),
    fc.record({ const: fc.oneof(fc.integer(), fc.string(), fc.constant(null)) }),
    fc.record({
      minimum: fc.integer({ min: -5, max: 5 }),
      exclusiveMaximum: fc.integer({ min: -5, max: 9 }),
    }),
    fc.record({ multipleOf: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ minLength: fc.nat(3), maxLength: fc.nat(4) }),
    fc.record({ pattern: fc.constantFrom('^a', 'b$', '^[a-c]{1,2}$', 'x|y', '^\\d+$') }),
    fc.record({ format: fc.constantFrom('date', 'email', 'ipv4', 'uuid', 'unheard-of') }),
    fc.boolean(),
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      fc.record({
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
      }),
      fc.record({
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
        additionalProperties: tie('schema'),
      }),
      fc.record({
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
        unevaluatedProperties: fc.boolean(),
      }),
      fc.record({
        items: tie('schema'),
        minItems: fc.nat(2),
        maxItems: fc.nat(3),
        uniqueItems: fc.boolean(),
      }),
      fc.record({
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        items: tie('schema'),
      }),
      fc.record({ contains: tie('schema') }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('schema') }),
      // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
      fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
      fc.record({
        propertyNames: tie('schema'),
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      }),
      fc.record({ $ref: fc.constant('#/$defs/shared') }),
    ),
  }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom<unknown>(
        null,
        true,
        false,
        '',
        'a',
        'ab',
        '12',
        'x',
        '2026-01-01',
        'a@b.co',
        0,
        1,
        2,
        -3,
        1.5,
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));

  it('agree on any schema and value', () => {
    fc.assert(
      fc.property(schema, leaf, value, (root, shared, given) => {
        const document = typeof root === 'object' ? { ...(root as object), $defs: { shared } } : root;
        const { ajv, walker } = bothOn(document, given);
        expect(walker.length === 0).toBe(ajv.length === 0);
      }),
      { numRuns: 800 },
    );
  });

  it.each([
    [
      {
        type: 'object',
        required: ['a'],
        properties: { b: { type: ['integer', 'null'] } },
        additionalProperties: false,
      },
      { b: 'x', z: 1 },
    ],
    [{ minItems: 3, uniqueItems: true, items: { multipleOf: 2 } }, [1, 1]],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, true],
    // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
    [{ if: { const: 1 }, then: { const: 2 } }, 1],
    [{ contains: { const: 1 }, minContains: 2, maxContains: 3 }, [1]],
    [{ dependentRequired: { a: ['b', 'c'] }, propertyNames: { maxLength: 0 } }, { a: 1 }],
    [{ prefixItems: [{ type: 'string' }], items: false }, [1, 2, 3]],
    [
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
    ],
  ])('report failures in the same words: %j', (given, sample) => {
    const { ajv, walker } = bothOn(given, sample);
    expect(walker).toEqual(ajv);
    expect(ajv).not.toEqual([]);
  });

  it('knows anchors, identifiers and definitions', () => {
    const document = {
      $defs: {
        word: { $anchor: 'word', type: 'string' },
        size: { $id: 'https://example.org/size', type: 'integer' },
      },
      properties: {
        a: { $ref: '#word' },
        b: { $ref: 'https://example.org/size' },
        c: { $ref: '#/$defs/word' },
      },
    };
    const { ajv, walker } = bothOn(document, { a: 1, b: 'x', c: 2 });
    expect(walker).toEqual(ajv);
    expect(walker).toHaveLength(3);
  });
});

describe('patterns', () => {
  const sources = [
    '^a+$',
    'a*b',
    '^(ab|cd)*$',
    '^[^a-c]+$',
    '\\bfoo\\b',
    '^(?:a|ab)(?:c|bcd)(?:d*)$',
    'a{2,3}',
    'a{2,}b?',
    '^(?=.*\\d)(?=.*[a-z]).{4,}$',
    '^(?!ab).*$',
    '\\p{L}+\\d',
    '^\\u0061$',
    '(a|b|)*c',
    '^.$',
    '[\\]\\-x]',
    '(?<year>\\d{2})-',
    '^$',
    'x{0}y',
    '^(a?){3}$',
    '\\.',
    '\\x41|\\t',
    '^\\S+@\\S+$',
  ];
  it('match what the native engine matches', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'd', '1', '2', '-', ' ', '@', '.', 'é', '😀', '\n', 'x', 'y', 'A'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.constantFrom(...sources), text, (source, sample) => {
        expect(compilePattern(source, budget()).test(sample)).toBe(new RegExp(source, 'u').test(sample));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([['^(a+)+$'], ['^(a|aa)+$'], ['^a*a*a*a*b$'], ['(?=(a+)+b)a'], ['^([a-z]+)*\\d$'], ['(.*)*x$']])(
    'stop on %s in bounded time',
    (source) => {
      const pattern = compilePattern(source, new WorkBudget(300_000));
      expect(verdictOf(() => pattern.test(`${'a'.repeat(30_000)}!`))).toBeOneOf([false, TooMuchWork]);
    },
  );

  it('accept what is valid only outside Unicode mode', () => {
    expect(compilePattern('^[\\w-.]+\\_$', budget()).test('a-b_')).toBe(true);
  });

  it.each([['(a)\\1'], ['(?<x>a)\\k<x>'], ['(?<=a)b'], ['(?<!a)b'], ['(a{100}){300}']])(
    'refuse %s, which has no bound',
    (source) => {
      expect(() => compilePattern(source, budget())).toThrow(UnsupportedPattern);
    },
  );

  it('reject invalid patterns', () => {
    expect(() => compilePattern('[', budget())).toThrow(SyntaxError);
  });
});

function verdictOf(run: () => boolean): unknown {
  try {
    return run();
  } catch (error) {
    return (error as Error).constructor;
  }
}
