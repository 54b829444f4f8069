import { describe, expect, it } from 'vitest';
import { declarationOf } from './declaration.ts';

const declared = (inputSchema: object, replySchema?: object) =>
  declarationOf({
    path: 'tools.shop.list',
    description: 'Lists orders. More about it.',
    inputSchema: inputSchema as Readonly<Record<string, unknown>>,
    replySchema: replySchema as Readonly<Record<string, unknown>> | undefined,
  });

describe('a declaration', () => {
  it('says what a tool takes and gives, required fields first', () => {
    expect(
      declared(
        {
          type: 'object',
          properties: {
            page: { type: 'integer', description: 'Which page. From 1.' },
            id: { type: 'string' },
            'x-y': { enum: ['a', 2] },
          },
          required: ['id'],
        },
        { type: 'array', items: { type: 'object', properties: { n: { type: ['number', 'null'] } } } },
      ),
    ).toBe(
      '/** Lists orders. */\ntools.shop.list(args: { id: string; page?: number /* Which page. */; "x-y"?: "a" | 2 }): Promise<{ n?: number | null }[]>',
    );
  });

  it.each([
    ['nothing at all', {}, 'unknown'],
    ['any of several', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'string | number'],
    [
      'lists of several',
      { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
      '(string | null)[]',
    ],
    [
      'all of several',
      { allOf: [{ properties: { a: {} } }, { properties: { b: { const: 1 } } }] },
      '{ a?: unknown; b?: 1 }',
    ],
    [
      'values by name',
      { type: 'object', additionalProperties: { type: 'boolean' } },
      'Record<string, boolean>',
    ],
    ['what leads nowhere', { $ref: '#/$defs/none' }, 'unknown'],
    ['a short part by itself', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 'string'],
  ])('writes %s', (_what, schema, expected) => {
    expect(declared({ type: 'object' }, schema)).toContain(`Promise<${expected}>`);
  });

  it('names what leads back to itself', () => {
    const tree = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } } };
    const text = declared({ type: 'object' }, { $ref: '#/$defs/tree', $defs: { tree } });
    expect(text).toContain('Promise<tree>\ntype tree = { kids?: tree[] }');
  });

  it('comes to an end whatever it is given', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`f${n}`, { $ref: '#/$defs/wide' }]),
    );
    const defs = { wide: { type: 'object', properties: wide } };
    expect(declared({ type: 'object' }, { $ref: '#/$defs/wide', $defs: defs }).length).toBeLessThan(20_000);
    let deep: object = { type: 'string' };
    for (let n = 0; n < 2_000; n++) deep = { type: 'object', properties: { a: deep } };
    expect(declared(deep, deep).length).toBeLessThan(5_000);
  });
});
