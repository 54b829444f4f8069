import { describe, expect, it } from 'vitest';
import { foldLargeSchema } from './fold-large-schema.ts';
import { compileSchema } from './json-schema.ts';

const filler = Object.fromEntries(
  Array.from({ length: 700 }, (_, i) => [`f${i}`, { type: 'string', maxLength: i, description: 'x' }]),
);

/** A schema beyond the bound, with something to look at in it. */
const large = (inner: object, $defs: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties: { first: inner, deep: { type: 'object', properties: { ...filler, last: inner } } },
  $defs,
});

describe('foldLargeSchema', () => {
  it('leaves a small schema as it is', () => {
    const schema = { type: 'object', properties: { a: { oneOf: [{ type: 'string' }] } } };
    expect(foldLargeSchema(schema)).toBe(schema);
  });

  it('goes on checking what is near the top', () => {
    const check = compileSchema(large({ type: 'integer' }));
    expect(check({ first: 'x' })).toHaveLength(1);
    expect(check({ first: 1 })).toEqual([]);
  });

  // Each value is good for the whole schema; a fold that is not sound would refuse it.
  it.each([
    [{ not: { type: 'string', maxLength: 1 } }, 'long'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 1],
    [{ oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }, 'a'],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    [{ if: { type: 'string' }, then: { minLength: 1 }, else: { type: 'integer' } }, 3],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 2]],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }],
    [{ $ref: '#/properties/deep/properties/f3' }, 'abc'],
    [{ $ref: '#/$defs/Tree' }, { child: { child: {} } }],
    [{ type: 'object', additionalProperties: false, properties: { ['__proto__']: {} } }, {}],
  ])('accepts under %j what the whole schema accepts', (inner, value) => {
    const $defs = {
      A: { type: 'string', pattern: '^a' },
      B: { type: 'string', pattern: '^b' },
      Tree: { type: 'object', properties: { child: { $ref: '#/$defs/Tree' } } },
    };
    const check = compileSchema(large(inner, $defs));
    expect(check({ first: value, deep: { last: value } })).toEqual([]);
  });
});
