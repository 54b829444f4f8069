import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../lib/json/json-schema.ts';
import { relaxOutputSchema } from './output-schema.ts';

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
  const schema = relaxOutputSchema(documented)!;
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

  it.each([
    [undefined],
    [{ type: 'array', items: {} }],
    [{ type: 'string' }],
    [{}],
    [{ $ref: '#/$defs/none' }],
  ])('does not exist for %j', (reply) => {
    expect(relaxOutputSchema(reply)).toBeNull();
  });
});
