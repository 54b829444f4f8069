import { describe, expect, it } from 'vitest';
import fc from '../../test/support/property.ts';
import { inputs, roots, type Schema } from '../../test/support/schemas.ts';
import { compileSchema } from '../lib/json/json-schema.ts';
import { foldMark, leanSchema } from './lean-schema.ts';

const argument = (schema: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { a: schema },
  ...more,
});
const leanOf = (schema: Schema, budget?: number) =>
  (leanSchema(argument(schema), budget).schema['properties'] as Record<string, Schema>)['a'];

describe('a schema for a list', () => {
  it.each<[string, Schema, Schema]>([
    [
      'leaves out titles, examples and extensions',
      { type: 'string', title: 'T', example: 'x', 'x-a': 1 },
      { type: 'string' },
    ],
    [
      'keeps the header that an argument is mirrored in',
      { type: 'string', 'x-mcp-header': 'Region' },
      { type: 'string', 'x-mcp-header': 'Region' },
    ],
    [
      'tells exactly one of as any of',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'keeps both of two unions',
      { anyOf: [{ type: 'string' }], oneOf: [{ maxLength: 2 }] },
      { anyOf: [{ type: 'string' }], allOf: [{ anyOf: [{ maxLength: 2 }] }] },
    ],
    ['leaves out what must not be', { type: 'string', not: { const: 'a' } }, { type: 'string' }],
    [
      'leaves out bounds that no value reaches',
      { type: 'integer', format: 'int64', maximum: 2 ** 31 - 1, minimum: 0 },
      { type: 'integer', minimum: 0 },
    ],
  ])('%s', (_, schema, expected) => {
    expect(leanOf(schema)).toEqual(expected);
  });

  it('says a thing once', () => {
    const description = 'A cursor for use in pagination, which names the last of a page.';
    const { schema } = leanSchema({
      type: 'object',
      properties: { a: { type: 'string', description }, b: { type: 'string', description } },
    });
    expect(schema['properties']).toEqual({ a: { type: 'string', description }, b: { type: 'string' } });
  });

  it('has the definitions that it uses, also those used by others, and no more', () => {
    const $defs = { pet: { $ref: '#/$defs/name' }, name: { type: 'string' }, idle: { type: 'number' } };
    const { schema } = leanSchema(argument({ $ref: '#/$defs/pet' }, { $defs }));
    expect(Object.keys(schema['$defs'] as object)).toEqual(['pet', 'name']);
  });

  it('tells many values in a sentence', () => {
    const lean = leanOf({ type: 'string', enum: Array.from({ length: 300 }, (_, n) => `value ${n}`) });
    expect(lean).not.toHaveProperty('enum');
    expect(lean?.['description']).toMatch(/^One of "value 0", .* and 260 more\.$/);
  });

  it('folds deep optional branches first, says so and keeps their type', () => {
    const deep = (levels: number): Schema =>
      levels === 0
        ? { type: 'string', description: 'The innermost of all the fields that there are.' }
        : {
            type: 'object',
            properties: Object.fromEntries(['p', 'q', 'r'].map((name) => [name, deep(levels - 1)])),
          };
    const { schema, folded } = leanSchema({
      type: 'object',
      properties: { id: { type: 'integer' }, tree: deep(6) },
    });
    expect(folded).toBe(true);
    expect(JSON.stringify(schema).length).toBeLessThan(4_200);
    expect(JSON.stringify(schema)).toContain(`{"type":"object","description":"${foldMark}"}`);
    expect(schema['properties']).toMatchObject({ id: { type: 'integer' }, tree: { type: 'object' } });
  });

  it('keeps every required argument of a tool that has very many', () => {
    const names = Array.from({ length: 500 }, (_, n) => `argument_number_${n}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', description: name }]));
    const required = names.slice(400);
    const { schema, folded } = leanSchema({ type: 'object', properties, required });
    expect(folded).toBe(true);
    expect(Object.keys(schema['properties'] as object)).toEqual(expect.arrayContaining(required));
    expect(schema['description']).toBe(foldMark);
  });

  it('comes to an end with definitions that use each other', () => {
    const $defs = {
      a: { properties: { b: { $ref: '#/$defs/b' } } },
      b: { properties: { a: { $ref: '#/$defs/a' } } },
    };
    for (const budget of [4_000, 200, 40]) {
      const { schema } = leanSchema(argument({ $ref: '#/$defs/a' }, { $defs }), budget);
      expect(() => compileSchema(schema)).not.toThrow();
    }
  });
});

// The law: whatever the true schema allows, the short one allows too, however little room it had.
describe('the law of short schemas', () => {
  const runs = Number(process.env['HANDRAIL_LEAN_RUNS'] ?? 150);
  type Shorten = (schema: Schema, budget: number) => Schema;

  /** Arguments that a short form refuses although the true schema allows them. */
  function refusedBy(shorten: Shorten): unknown[] {
    const refused: unknown[] = [];
    fc.assert(
      fc.property(roots, inputs, fc.constantFrom(4_000, 300, 120, 30), (schema, examples, budget) => {
        const strict = compileSchema(schema);
        const valid = examples.filter((example) => strict(example).length === 0);
        const free = compileSchema(shorten(schema, budget));
        refused.push(...valid.filter((example) => free(example).length > 0));
      }),
      { numRuns: runs },
    );
    return refused;
  }

  const lean: Shorten = (schema, budget) => leanSchema(schema, budget).schema;

  it('refuses nothing that is allowed', () => {
    expect(refusedBy(lean)).toEqual([]);
  });

  /** The same on every schema inside a schema. */
  const everywhere = (change: (node: Schema) => Schema) => {
    const visit = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(visit);
      if (typeof value !== 'object' || value === null) return value;
      return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)])));
    };
    return (schema: Schema) => visit(schema) as Schema;
  };

  // What a careless way of making schemas short would do: the law has to notice each of them.
  it.each<[string, Shorten]>([
    [
      'any of told as exactly one of',
      (schema, budget) =>
        everywhere(({ anyOf, ...rest }) =>
          Array.isArray(anyOf) ? { ...rest, oneOf: [...(anyOf as unknown[]), {}] } : { ...rest },
        )(lean(schema, budget)),
    ],
    [
      'lists of values cut short',
      (schema, budget) =>
        everywhere((node) =>
          Array.isArray(node['enum']) ? { ...node, enum: (node['enum'] as unknown[]).slice(0, 1) } : node,
        )(lean(schema, budget)),
    ],
    [
      'a folded branch told as text',
      (schema, budget) =>
        everywhere((node) =>
          (node['description'] as string | undefined)?.includes(foldMark) === true
            ? { type: 'string' }
            : node,
        )(lean(schema, budget)),
    ],
    [
      'fields left out of a closed object',
      (schema, budget) =>
        everywhere((node) => (node['additionalProperties'] === false ? { ...node, properties: {} } : node))(
          lean(schema, budget),
        ),
    ],
    [
      'types without null',
      (schema, budget) =>
        everywhere((node) =>
          Array.isArray(node['type']) ? { ...node, type: (node['type'] as unknown[])[1] } : node,
        )(lean(schema, budget)),
    ],
  ])('would notice %s', (_, careless) => {
    expect(refusedBy(careless)).not.toEqual([]);
  });
});
