import { describe, expect, it } from 'vitest';
import { allowedTypes, namedValues } from './schema-branches.ts';

const defs = {
  Status: { type: 'string', enum: ['open', 'closed', null] },
  Id: { type: 'integer' },
  Loop: { $ref: '#/$defs/Loop' },
};

describe('allowedTypes', () => {
  it('finds types behind references and in unions', () => {
    expect(allowedTypes({ $ref: '#/$defs/Id' }, defs)).toEqual(new Set(['integer']));
    expect(allowedTypes({ type: ['integer', 'null'] }, defs)).toEqual(new Set(['integer', 'null']));
    expect(allowedTypes({ anyOf: [{ $ref: '#/$defs/Id' }, { type: 'null' }] }, defs)).toEqual(
      new Set(['integer', 'null']),
    );
    expect(allowedTypes({ allOf: [{ $ref: '#/$defs/Id' }], description: 'its id' }, defs)).toEqual(
      new Set(['integer']),
    );
  });

  it('is null where a schema does not say', () => {
    for (const schema of [
      {},
      true,
      { $ref: '#/$defs/None' },
      { $ref: '#/$defs/Loop' },
      { oneOf: [{}, { type: 'null' }] },
    ])
      expect(allowedTypes(schema, defs)).toBeNull();
  });
});

describe('namedValues', () => {
  it('finds the values of enums, constants and booleans, in items too', () => {
    expect(namedValues({ $ref: '#/$defs/Status' }, defs)).toEqual(['open', 'closed']);
    expect(namedValues({ type: 'array', items: { $ref: '#/$defs/Status' } }, defs)).toEqual([
      'open',
      'closed',
    ]);
    expect(namedValues({ oneOf: [{ const: 'a' }, { const: 1 }] }, defs)).toEqual(['a', '1']);
    expect(namedValues({ type: 'boolean' }, defs)).toEqual(['true', 'false']);
    expect(namedValues({ type: 'string' }, defs)).toEqual([]);
  });
});
