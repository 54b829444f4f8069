import { describe, expect, it } from 'vitest';
import { compileSchema } from './json-schema.ts';
import { withoutUncheckable } from './uncheckable-patterns.ts';

const lookAhead = '^(?!x)';
const accepts = (schema: Record<string, unknown>, value: unknown): boolean =>
  compileSchema(schema)(value).length === 0;

describe('a schema with a pattern that cannot be run', () => {
  it('is handed back as it is when every pattern can be run', () => {
    const schema = { oneOf: [{ pattern: '^a' }, { $ref: '#/$defs/a' }], $defs: { a: { pattern: '^b' } } };
    expect(withoutUncheckable(schema, () => true)).toBe(schema);
  });

  const branches = [
    { type: 'string', pattern: lookAhead },
    { type: 'string', maxLength: 3 },
  ];
  it.each<[string, Record<string, unknown>, unknown]>([
    ['oneOf', { oneOf: branches }, 'abc'],
    ['oneOf beside anyOf', { oneOf: branches, anyOf: [{ minLength: 1 }] }, 'abc'],
    [
      'oneOf, deeper in a branch',
      { oneOf: [{ properties: { a: branches[0] } }, { properties: { b: { type: 'string' } } }] },
      { a: 'x', b: 'y' },
    ],
    [
      'oneOf, behind references',
      {
        oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/c' }],
        $defs: { a: { $ref: '#/$defs/b' }, b: branches[0], c: branches[1] },
      },
      'abc',
    ],
    ['not', { not: { pattern: lookAhead } }, 'abc'],
    ['if', { if: { not: { pattern: lookAhead } }, else: { maxLength: 1 } }, 'xbc'],
    ['contains', { contains: { pattern: lookAhead }, maxContains: 1 }, ['a', 'b']],
    [
      'patternProperties',
      { patternProperties: { [lookAhead]: { type: 'integer' } }, additionalProperties: false },
      { a: 'text' },
    ],
    ['items', { items: { pattern: lookAhead } }, ['x']],
  ])('accepts what %s might have accepted', (_where, schema, value) => {
    expect(accepts(schema, value)).toBe(true);
  });

  it('goes on checking everything else', () => {
    const schema = {
      oneOf: [{ type: 'string', pattern: lookAhead }, { type: 'integer' }],
      $defs: { unused: { pattern: lookAhead } },
    };
    expect(accepts(schema, true)).toBe(false);
    expect(accepts({ ...schema, properties: { n: { type: 'integer' } } }, 'text')).toBe(true);
    expect(accepts({ properties: { n: { pattern: lookAhead, maxLength: 1 } } }, { n: 'ab' })).toBe(false);
  });
});
