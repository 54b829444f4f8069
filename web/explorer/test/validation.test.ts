import { describe, expect, it } from 'vitest';
import { createHandler } from '../dist/index.js';
import type { ValidateResult } from '../dist/index.js';

async function validate(
  inputSchema: unknown,
  args: unknown,
  body = JSON.stringify(args),
): Promise<ValidateResult> {
  const tools = [{ name: 't', description: '', inputSchema: inputSchema as Record<string, unknown> }];
  const handle = createHandler(tools, async () => [[], false]);
  const answer = await handle(new Request('http://localhost/tools/t/validate', { method: 'POST', body }));
  expect(answer.status).toBe(200);
  return (await answer.json()) as ValidateResult;
}

const schemaFailure = {
  valid: false,
  errors: [{ path: '', message: expect.stringMatching(/^Invalid schema: /), keyword: 'schema' }],
};

describe('paths', () => {
  it('points with escaped JSON Pointers', async () => {
    const schema = { properties: { 'a/b': { properties: { '~c': { items: { type: 'string' } } } } } };
    expect(await validate(schema, { 'a/b': { '~c': ['x', 1] } })).toEqual({
      valid: false,
      errors: [{ path: '/a~1b/~0c/1', message: 'must be string', keyword: 'type' }],
    });
  });
});

describe('dialects', () => {
  it('treats a schema without a dialect as 2020-12', async () => {
    const schema = {
      properties: { pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } },
    };
    expect((await validate(schema, { pair: ['a', 1] })).valid).toBe(true);
    expect((await validate(schema, { pair: ['a', 1, 2] })).valid).toBe(false);
  });

  it.each([
    ['http://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/draft-06/schema#'],
    ['https://json-schema.org/draft-07/schema'],
  ])('honors %s', async ($schema) => {
    const schema = { $schema, properties: { pair: { items: [{ type: 'string' }], additionalItems: false } } };
    expect((await validate(schema, { pair: ['a'] })).valid).toBe(true);
    expect((await validate(schema, { pair: ['a', 1] })).valid).toBe(false);
  });

  it.each([
    ['https://json-schema.org/draft/2019-09/schema'],
    ['https://json-schema.org/draft/2020-12/schema'],
    ['https://example.org/my-dialect'],
  ])('accepts %s', async ($schema) => {
    expect(await validate({ $schema, type: 'object', required: ['a'] }, { a: 1 })).toEqual({ valid: true });
    expect((await validate({ $schema, type: 'object', required: ['a'] }, {})).valid).toBe(false);
  });
});

describe('formats and unknown keywords', () => {
  it('asserts formats', async () => {
    const schema = { properties: { when: { type: 'string', format: 'date-time' } } };
    expect((await validate(schema, { when: '2026-01-02T03:04:05Z' })).valid).toBe(true);
    expect(await validate(schema, { when: 'tomorrow' })).toMatchObject({
      errors: [{ path: '/when', keyword: 'format' }],
    });
  });

  it.each([
    ['an unknown format', { properties: { a: { type: 'string', format: 'no-such-format' } } }],
    ['an unknown keyword', { 'x-order': 3, properties: { a: { 'x-widget': { type: 'nonsense' } } } }],
    ['an old id', { id: 'urn:x', properties: { id: { type: 'string' } } }],
    ['nullable without a type', { properties: { a: { nullable: true, enum: ['x', null] } } }],
    ['$async', { $async: true, type: 'object' }],
  ])('does not call a schema with %s invalid', async (_what, schema) => {
    expect(await validate(schema, {})).toEqual({ valid: true });
  });

  it('never calls arguments valid because the schema says it is asynchronous', async () => {
    expect((await validate({ $async: true, type: 'object', required: ['a'] }, {})).valid).toBe(false);
  });

  it('keeps a property that is named like a keyword', async () => {
    const schema = {
      properties: { id: { type: 'integer' }, $schema: { type: 'string' }, nullable: { type: 'boolean' } },
    };
    expect(await validate(schema, { id: 'x', $schema: 1, nullable: 2 })).toMatchObject({
      errors: [{}, {}, {}],
    });
  });

  it('accepts anything without a schema', async () => {
    expect(await validate(undefined, { anything: 1 })).toEqual({ valid: true });
    expect(await validate({}, [1])).toEqual({ valid: true });
  });
});

describe('schemas that cannot be used', () => {
  it.each([
    ['an unknown type', { type: 'no-such-type' }],
    ['a reference to nowhere', { properties: { a: { $ref: '#/$defs/missing' } } }],
    ['a remote reference', { $ref: 'https://example.org/schema.json' }],
    ['required that is a string', { required: 'url' }],
    ['an illegal pattern', { properties: { a: { pattern: '(' } } }],
    ['a back-reference', { properties: { a: { pattern: '^(a)\\1$' } } }],
    ['a string for a schema', 'object'],
    ['depth without end', JSON.parse('{"not":'.repeat(400) + '{}' + '}'.repeat(400))],
  ])('are one failure: %s', async (_what, schema) => {
    expect(await validate(schema, { a: 'aa' })).toEqual(schemaFailure);
  });

  it('are one failure when they contain themselves in memory', async () => {
    const cyclic: Record<string, unknown> = { type: 'object' };
    cyclic['not'] = cyclic;
    expect(await validate(cyclic, {})).toEqual(schemaFailure);
  });

  it('do not disturb another tool with the same $id', async () => {
    const first = { $id: 'https://example.org/shared', type: 'object', required: ['a'] };
    const second = { $id: 'https://example.org/shared', type: 'object', required: ['b'] };
    expect((await validate(first, { a: 1 })).valid).toBe(true);
    expect((await validate(second, { b: 1 })).valid).toBe(true);
    expect((await validate(second, { a: 1 })).valid).toBe(false);
  });
});

describe('a schema that changes', () => {
  it('is compiled again, even in the same object', async () => {
    const schema: Record<string, unknown> = { type: 'object' };
    expect((await validate(schema, {})).valid).toBe(true);
    schema['required'] = ['a'];
    expect((await validate(schema, {})).valid).toBe(false);
  });
});

describe('hostile schemas and arguments', () => {
  it('stops on a pattern that would backtrack for hours', async () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } } };
    expect((await validate(schema, { a: 'a'.repeat(5000) })).valid).toBe(false);
  });

  it('stops on references that multiply', async () => {
    const $defs: Record<string, unknown> = { d30: { type: 'object' } };
    for (let level = 0; level < 30; level++) {
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    }
    expect(await validate({ $ref: '#/$defs/d0', $defs }, {})).toEqual(schemaFailure);
  });

  it('ends on references that multiply outside $defs', async () => {
    const parts: Record<string, unknown> = { d30: { type: 'object' } };
    for (let level = 0; level < 30; level++) {
      parts[`d${level}`] = {
        anyOf: [{ not: { $ref: `#/parts/d${level + 1}` } }, { $ref: `#/parts/d${level + 1}` }],
      };
    }
    expect((await validate({ $ref: '#/parts/d0', parts }, 1)).valid).toBe(false);
  });

  it('stops on recursion that doubles with each level of the arguments', async () => {
    const half = { properties: { next: { $ref: '#' } } };
    let args: unknown = {};
    for (let level = 0; level < 60; level++) args = { next: args };
    expect(await validate({ allOf: [half, half] }, args)).toEqual(schemaFailure);
  });

  it('stops on a schema that refers to itself', async () => {
    expect(await validate({ $ref: '#' }, {})).toMatchObject({ valid: false });
  });

  it('does not spend long compiling large or bushy schemas', async () => {
    const names = Array.from({ length: 5000 }, (_item, index) => `p${index}`);
    const wide = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
    expect(await validate(wide, { p7: 1 })).toEqual({
      valid: false,
      errors: [{ path: '/p7', message: 'must be string', keyword: 'type' }],
    });
    const bushy = (depth: number): object =>
      depth === 0 ? { type: 'string' } : { anyOf: [bushy(depth - 1), bushy(depth - 1)] };
    expect((await validate(bushy(11), 'x')).valid).toBe(true);
  });

  it('finds duplicates in a long list', async () => {
    const list = Array.from({ length: 60_000 }, (_item, index) => ({ index }));
    const schema = { properties: { list: { uniqueItems: true } } };
    expect((await validate(schema, { list })).valid).toBe(true);
    expect(await validate(schema, { list: [...list, { index: 7 }] })).toEqual({
      valid: false,
      errors: [
        {
          path: '/list',
          message: 'must NOT have duplicate items (items ## 7 and 60000 are identical)',
          keyword: 'uniqueItems',
        },
      ],
    });
  });

  it('rejects arguments that are nested too deeply', async () => {
    const body = `{"deep":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(await validate({ type: 'object' }, undefined, body)).toMatchObject({
      valid: false,
      errors: [{ keyword: 'depth' }],
    });
  });

  it('bounds the list of failures', async () => {
    const result = await validate(
      { properties: { list: { items: { type: 'string' } } } },
      { list: Array.from({ length: 5000 }, () => 1) },
    );
    expect(result.errors).toHaveLength(100);
  });
});
