import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { inputSchemaOf } from '../../domain/tool.ts';
import { compileSchema } from '../../lib/json/json-schema.ts';
import { readDocument } from '../read-document.ts';

/** The input of an operation whose body property `v` has this schema, in OpenAPI 3.0. */
function inputFor(
  v: unknown,
  schemas: Record<string, unknown> = {},
): { schema: JsonSchema; codes: string[]; accepts: (value: unknown) => boolean } {
  const document = {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    paths: {
      '/a': {
        post: {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { type: 'object', properties: { v } } } },
          },
        },
      },
    },
    components: { schemas },
  };
  const operation = readDocument({ root: 'd', files: new Map([['d', document]]) }).operations[0]!;
  const schema = inputSchemaOf(operation.content!.operation);
  const check = compileSchema(schema);
  return {
    schema,
    codes: operation.notes.map(({ code }) => code),
    accepts: (value) => check({ v: value }).length === 0,
  };
}

const readOnly = { type: 'string', readOnly: true };

describe('properties that only replies have', () => {
  const base = { type: 'object', properties: { id: readOnly, name: { type: 'string' } } };
  it.each<[string, unknown, Record<string, unknown>]>([
    ['by the schema itself', { ...base, required: ['id', 'name'] }, {}],
    [
      'by a parent that refers to it',
      { allOf: [{ $ref: '#/components/schemas/B' }], required: ['id'] },
      { B: base },
    ],
    [
      'by a part that cannot be merged',
      {
        allOf: [
          { $ref: '#/components/schemas/B' },
          { required: ['id'], additionalProperties: { type: 'string' } },
        ],
      },
      { B: base },
    ],
    [
      'by a parent of which it is one alternative',
      { type: 'object', required: ['id'], oneOf: [{ $ref: '#/components/schemas/B' }] },
      { B: base },
    ],
    [
      'by an alternative below the schema that declares it',
      { ...base, anyOf: [{ required: ['id'] }, { required: ['id', 'other'] }] },
      {},
    ],
    [
      'by a definition that leaves the declaring to others',
      { allOf: [base, { $ref: '#/components/schemas/R' }] },
      { R: { required: ['id'], minProperties: 1 } },
    ],
    [
      'and marked where the property’s schema is put together',
      {
        type: 'object',
        required: ['id'],
        properties: { id: { allOf: [{ $ref: '#/components/schemas/Id' }] }, name: { type: 'string' } },
      },
      { Id: readOnly },
    ],
  ])('are not demanded when required %s', (_how, schema, schemas) => {
    expect(inputFor(schema, schemas).accepts({ name: 'n' })).toBe(true);
  });

  it('stay demanded where another part lets them be sent', () => {
    const writable = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    const { accepts } = inputFor({ allOf: [{ $ref: '#/components/schemas/B' }, writable] }, { B: base });
    expect(accepts({ name: 'n' })).toBe(false);
    expect(accepts({ id: 'i' })).toBe(true);
  });

  it('may be sent all the same where no other property may', () => {
    const { accepts } = inputFor({ ...base, additionalProperties: false });
    expect(accepts({ id: 'i', name: 'n' })).toBe(true);
    expect(accepts({ idd: 'i' })).toBe(false);
  });
});

describe('alternatives', () => {
  it.each<[string, unknown[], unknown]>([
    ['integer | number', [{ type: 'integer' }, { type: 'number' }], 3],
    ['string | nullable string', [{ type: 'string' }, { type: 'string', nullable: true }], 'a'],
    ['two open objects', [{ type: 'object', properties: { a: {} } }, { type: 'object' }], { a: 1 }],
    [
      'text with and without a format',
      [{ type: 'string', format: 'date' }, { type: 'string' }],
      '2024-01-01',
    ],
  ])('that overlap are accepted as any of them, with a note: %s', (_what, oneOf, value) => {
    const { accepts, codes } = inputFor({ oneOf });
    expect(accepts(value)).toBe(true);
    expect(codes).toEqual(['one_of_overlaps']);
  });

  it.each<[string, unknown[]]>([
    ['types', [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: {} }]],
    [
      'listed values',
      [
        { type: 'string', enum: ['a'] },
        { type: 'string', enum: ['b', 'c'] },
      ],
    ],
    [
      'a property that both require',
      ['a', 'b'].map((kind) => ({
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string', enum: [kind] } },
      })),
    ],
    [
      'a property that the other does not allow',
      ['a', 'b'].map((name) => ({
        type: 'object',
        required: [name],
        properties: { [name]: {} },
        additionalProperties: false,
      })),
    ],
    [
      'bounds',
      [
        { type: 'string', maxLength: 2 },
        { type: 'string', minLength: 3 },
      ],
    ],
    ['which property must be there, and mean exactly one', [{ required: ['a'] }, { required: ['b'] }]],
  ])('that differ by %s stay as they are, without a note', (_what, oneOf) => {
    const { codes, schema } = inputFor({ oneOf });
    expect(codes).toEqual([]);
    expect(JSON.stringify(schema)).toContain('"oneOf"');
  });

  it('stay as they are when a definition tells them apart', () => {
    const kind = (name: string) => ({
      type: 'object',
      required: ['kind'],
      description: 'long enough to stay a definition '.repeat(12),
      properties: { kind: { type: 'string', enum: [name] } },
    });
    const oneOf = [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }];
    expect(inputFor({ oneOf }, { A: kind('a'), B: kind('b') }).codes).toEqual([]);
    expect(inputFor({ oneOf }, { A: kind('a'), B: kind('a') }).codes).toEqual(['one_of_overlaps']);
  });
});

describe('listed values that are not of the declared type', () => {
  it.each<[unknown, unknown, unknown]>([
    [{ type: 'integer', enum: ['low', 'high'] }, 'low', 1],
    [{ type: 'boolean', enum: ['yes', 'no'] }, 'yes', true],
    [{ type: 'string', enum: [{ a: 1 }] }, { a: 1 }, 'a'],
    [{ type: 'integer', enum: [1, 'auto'] }, 'auto', 2],
  ])('count more than the type: %j', (schema, good, bad) => {
    const { accepts, codes } = inputFor(schema);
    expect([accepts(good), accepts(bad)]).toEqual([true, false]);
    expect(codes).toEqual(['enum_type_mismatch']);
  });
});
