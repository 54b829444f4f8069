import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../lib/json/json-schema.ts';
import { dialects } from './dialects.ts';
import { toPortableSchema } from './portable-schema.ts';
import fc from '../../../test/support/property.ts';

const portable = (schema: Record<string, unknown>) => toPortableSchema(schema, dialects.portable.rules!);
const property = (schema: unknown, more: Record<string, unknown> = {}) =>
  (portable({ type: 'object', properties: { p: schema }, ...more }).schema['properties'] as { p: unknown }).p;

describe('the portable dialect', () => {
  it('writes references out', () => {
    const $defs = {
      user: { type: 'object', properties: { id: { $ref: '#/$defs/id' } } },
      id: { type: 'integer' },
    };
    expect(property({ $ref: '#/$defs/user', description: 'who' }, { $defs })).toEqual({
      type: 'object',
      properties: { id: { type: 'integer' } },
      description: 'who',
    });
  });

  it('cuts references that never end', () => {
    const $defs = { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } };
    const { schema, changes } = portable({
      type: 'object',
      properties: { p: { $ref: '#/$defs/node' } },
      $defs,
    });
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect(changes.map((one) => one.change)).toContain('recursive reference to node cut off');
  });

  it('drops null and keeps the rest of a union', () => {
    expect(property({ type: ['string', 'null'] })).toEqual({ type: 'string' });
    expect(property({ anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'd' })).toEqual({
      type: 'integer',
      description: 'd',
    });
    expect(property({ enum: ['a', null] })).toEqual({ type: 'string', enum: ['a'] });
    expect(property({ type: ['string', 'integer', 'null'], enum: ['a', null] })).toEqual({
      type: 'string',
      enum: ['a'],
    });
  });

  it('turns lists of types and oneOf into anyOf', () => {
    expect(property({ type: ['string', 'integer'] })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }],
    });
    expect(property({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    });
  });

  it('turns a union of constants into an enum', () => {
    expect(property({ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] })).toEqual({
      type: 'string',
      enum: ['a', 'b'],
    });
  });

  it('merges allOf, keeps a union of objects, and makes one object of it at the root', () => {
    expect(
      property({
        allOf: [{ type: 'object', properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }],
      }),
    ).toEqual({
      type: 'object',
      properties: { a: {}, b: {} },
      required: ['a'],
    });
    const union = {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'x' }, a: { type: 'string' } },
          required: ['kind', 'a'],
        },
        { type: 'object', properties: { kind: { const: 'y' } }, required: ['kind'] },
      ],
    };
    expect(property(union)).toEqual({
      anyOf: [
        {
          type: 'object',
          properties: { kind: { type: 'string', enum: ['x'] }, a: { type: 'string' } },
          required: ['kind', 'a'],
        },
        { type: 'object', properties: { kind: { type: 'string', enum: ['y'] } }, required: ['kind'] },
      ],
    });
    expect(portable({ type: 'object', ...union }).schema).toEqual({
      type: 'object',
      properties: { kind: { type: 'string', enum: ['x', 'y'] }, a: { type: 'string' } },
      required: ['kind'],
    });
  });

  it('drops formats that readers do not know, and says so', () => {
    const { schema, changes } = portable({
      type: 'object',
      properties: { n: { type: 'integer', format: 'int64' } },
    });
    expect(schema['properties']).toEqual({ n: { type: 'integer' } });
    expect(changes).toEqual([{ path: '/properties/n/format', change: 'format int64 dropped' }]);
  });

  it('changes nothing that every reader understands', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 1, description: 'x' },
        b: { type: 'array', items: { type: 'number' } },
      },
      required: ['a'],
    };
    expect(portable(schema)).toEqual({ schema, changes: [] });
  });

  const leaf = fc.constantFrom<Record<string, unknown>>(
    { type: 'string' },
    { type: 'integer', minimum: 0 },
    { type: ['string', 'null'] },
    { type: ['integer', 'string'] },
    { const: 'k' },
    { enum: ['a', 'b', null] },
    { $ref: '#/$defs/thing' },
    { type: 'boolean' },
    {},
  );
  const nodes = (
    unionMember: (any: fc.Arbitrary<Record<string, unknown>>) => fc.Arbitrary<Record<string, unknown>>,
  ) =>
    fc.letrec<{ node: Record<string, unknown> }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('node') }),
        fc.record({ oneOf: fc.array(unionMember(tie('node')), { minLength: 1, maxLength: 3 }) }),
        fc.record({ anyOf: fc.array(unionMember(tie('node')), { minLength: 1, maxLength: 3 }) }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')),
          required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 1 }),
        }),
      ),
    })).node;
  const rootOf = (node: fc.Arbitrary<Record<string, unknown>>) =>
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), node).map((properties) => ({
      type: 'object',
      properties,
      $defs: {
        thing: { type: 'object', properties: { a: { type: 'string' }, thing: { $ref: '#/$defs/thing' } } },
      },
    }));

  const root = rootOf(nodes((any) => any));

  it('leaves nothing a portable reader refuses, whatever it was given', () => {
    fc.assert(
      fc.property(root, (schema) => {
        const text = JSON.stringify(portable(schema).schema);
        expect(text).not.toMatch(/"\$ref"|"oneOf"|"allOf"|"\$defs"|"type":\[|"null"|"const"/);
      }),
    );
  });

  it('is the same when done twice', () => {
    fc.assert(
      fc.property(root, (schema) => {
        const once = portable(schema).schema;
        expect(portable(once).schema).toEqual(once);
      }),
    );
  });

  it('still allows every value without null that the true schema allows', () => {
    // Objects of a union become one object, which says more about a property than a branch that left it open did.
    const plain = rootOf(nodes(() => leaf.filter((schema) => !('$ref' in schema))));
    const value = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(
        fc.constantFrom('k', 'a', 'x', 3, -1, true),
        fc.array(fc.constantFrom('k', 1)),
        fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('k', 1, 'a')),
      ),
    );
    fc.assert(
      fc.property(plain, fc.array(value, { minLength: 5, maxLength: 15 }), (schema, values) => {
        // oneOf asks for exactly one branch; a reader of anyOf may be freer, never stricter.
        const strict = compileSchema(schema);
        const free = compileSchema(portable(schema).schema);
        expect(values.filter((one) => strict(one).length === 0).flatMap((one) => free(one))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
