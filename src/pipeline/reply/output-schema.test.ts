import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { compileSchema } from '../../lib/json/json-schema.ts';
import { advertisedOutput } from './output-schema.ts';

const documented = {
  $ref: '#/$defs/Order',
  $defs: {
    Order: {
      type: 'object',
      required: ['id', 'state'],
      additionalProperties: false,
      properties: {
        id: { type: 'integer', minimum: 1 },
        state: { type: 'string', enum: ['open', 'closed'], description: 'Where it stands' },
        owner: { $ref: '#/$defs/Person' },
        lines: {
          type: 'array',
          minItems: 1,
          items: { oneOf: [{ $ref: '#/$defs/Person' }, { type: 'string' }] },
        },
      },
    },
    Person: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', format: 'email' }, boss: { $ref: '#/$defs/Person' } },
    },
  },
};

describe('an advertised output schema', () => {
  const schema = advertisedOutput(documented)!.schema;
  const check = compileSchema(schema);

  it('is an object at its root and keeps words and shape', () => {
    expect(schema['type']).toBe('object');
    expect(JSON.stringify(schema)).toContain('Where it stands');
    expect((schema['properties'] as Record<string, unknown>)['id']).toEqual({ type: ['integer', 'null'] });
  });

  it.each([
    ['a missing field', {}],
    ['a null', { id: null, owner: null, state: null }],
    ['one more enum value and field', { id: 1, state: 'paused', extra: true }],
    ['an empty list', { lines: [] }],
    ['a union member nobody documented', { lines: [5, { name: 'not an address' }] }],
    ['a nested null', { owner: { name: 'x', boss: { boss: null } } }],
  ])('accepts a reply with %s', (_what, reply) => {
    expect(check(reply)).toEqual([]);
  });

  it('still refuses another type of thing', () => {
    expect(check({ id: 'seven' })).toHaveLength(1);
  });

  it.each([[undefined], [{ type: 'string' }], [{}], [{ $ref: '#/$defs/none' }]])(
    'does not exist for %j',
    (reply) => {
      expect(advertisedOutput(reply)).toBeNull();
    },
  );

  it.each<[string, JsonSchema]>([
    ['a list', { type: 'array', items: { type: 'object', required: ['a'] } }],
    [
      'a list behind a reference',
      { $ref: '#/$defs/l', $defs: { l: { type: ['array', 'null'], minItems: 1 } } },
    ],
    ['parts that are no objects', { allOf: [{ properties: { a: {} }, required: ['a'] }, { type: 'array' }] }],
    [
      'a part that refers to a list',
      { allOf: [{ type: 'object' }, { $ref: '#/$defs/l' }], $defs: { l: { type: 'array' } } },
    ],
    ['a union', { type: 'object', oneOf: [{ required: ['a'] }, { type: 'string' }] }],
    ['a tuple', { type: 'object', properties: { a: { type: 'array', prefixItems: [{ type: 'string' }] } } }],
  ])('takes an empty object, which stands for a reply that does not fit: %s', (_what, reply) => {
    const { schema: advertised } = advertisedOutput(reply)!;
    expect(advertised['type']).toBe('object');
    expect(compileSchema(advertised)({})).toEqual([]);
  });
});
