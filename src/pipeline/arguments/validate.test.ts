import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Parameter } from '../../domain/operation.ts';
import { apiAt, toolOf } from '../../../test/support/calling.ts';
import { resolve } from '../request/resolve.ts';
import { validate } from './validate.ts';

const query = (name: string, schema: JsonSchema, rest: Partial<Parameter> = {}): Parameter => ({
  name,
  in: 'query',
  schema,
  required: false,
  ...rest,
});

function run(parameters: readonly Parameter[], input: unknown, defs?: Record<string, JsonSchema>) {
  const tool = toolOf(apiAt('https://api.example.com'), { parameters, ...(defs && { defs }) });
  return validate(tool, input);
}

describe('arguments', () => {
  it.each([undefined, null])('may be %s when nothing is required', (input) => {
    expect(run([query('a', { type: 'string' })], input)).toEqual({});
  });

  it.each([[[]], ['text'], [1], [true]])('must be an object, not %j', (input) => {
    expect(() => run([], input)).toThrow('arguments must be an object');
  });

  it('are completed with defaults, also for a required parameter', () => {
    expect(run([query('limit', { type: 'integer' }, { default: 10, required: true })], {})).toEqual({
      limit: 10,
    });
  });

  it.each([
    ['as deep as JSON may be', 60, true],
    ['deeper than JSON may be', 70, false],
    ['much deeper', 100_000, false],
  ])('are read from a text that is %s', (_what, depth, isRead) => {
    const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const read = () => run([query('list', { type: 'array' })], { list: text });
    if (isRead) expect(read()['list']).toBeInstanceOf(Array);
    else expect(read).toThrow('list');
  });

  it('are not read deeper by texts within texts', () => {
    const inner = JSON.stringify(`${'['.repeat(40)}${']'.repeat(40)}`);
    const schema = { type: 'array', items: { type: 'array' } };
    expect(run([query('list', schema)], { list: `[${inner}]` })['list']).toBeInstanceOf(Array);
    const deep = { type: 'array', items: { type: 'array', items: { type: 'array' } } };
    const twice = JSON.stringify([JSON.stringify([`${'['.repeat(63)}${']'.repeat(63)}`])]);
    expect(() => run([query('list', deep)], { list: twice })).toThrow('list');
  });

  it('cannot replace a fixed value or set a hidden one', () => {
    const parameters = [
      query('version', { type: 'string' }, { fixed: '2' }),
      query('debug', {}, { hidden: true }),
      query('q', {}),
    ];
    expect(run(parameters, { version: '2', debug: null })).toEqual({ version: '2' });
    expect(() => run(parameters, { version: '9' })).toThrow(
      'version is set by the operator of this gateway: leave it out',
    );
    expect(() => run(parameters, { debug: true })).toThrow(
      'debug is not an argument of this tool, which takes q',
    );
  });

  describe('that no parameter declares', () => {
    const parameters = [
      query('status', { type: 'string' }),
      query('title', { type: 'string' }, { required: true }),
      query('pageSize', { type: 'integer' }),
    ];
    it.each<[Record<string, unknown>, string]>([
      [{ title: 'x', stauts: 'b' }, 'stauts is not an argument of this tool; did you mean status?'],
      [{ Title: 'x' }, 'title is required; Title is not an argument of this tool; did you mean title?'],
      [{ title: 'x', page_size: 1 }, 'page_size is not an argument of this tool; did you mean pageSize?'],
      [{ title: 'x', zz: 1 }, 'zz is not an argument of this tool, which takes status, title, pageSize'],
      [{ title: 'x', constructor: 3 }, 'constructor is not an argument of this tool, which takes'],
    ])('are refused with what may have been meant: %j', (input, message) => {
      expect(() => run(parameters, input)).toThrow(message);
    });

    it('are refused by a tool that takes none, and never come from a prototype', () => {
      expect(() => run([], { a: 1 })).toThrow('a is not an argument of this tool, which takes none');
      expect(run([query('constructor', {})], {})).toEqual({});
      expect(run([query('a', {})], { a: 1, __proto__: { a: 5 } })).toEqual({ a: 1 });
    });

    it('may be null, which says nothing', () => {
      expect(run(parameters, { title: 'x', more: null })).toEqual({ title: 'x' });
    });

    const tool = (open: boolean, required = false) =>
      toolOf(apiAt('https://api.example.com'), {
        method: 'POST',
        parameters: [
          { name: 'id', in: 'path', schema: { type: 'string' }, required: true },
          { name: 'address_line1', in: 'body', schema: { type: 'string' }, required },
          { name: 'body_id', key: 'id', in: 'body', schema: {}, required: false },
        ],
        path: '/x/{id}',
        body: { mediaType: 'application/json', shape: 'fields', ...(open && { open }) },
      });

    it('become fields of a body that its document leaves open', () => {
      const args = validate(tool(true), {
        id: '1',
        address_line1: 'a',
        address_line2: 'b',
        extra: { n: null },
      });
      expect(JSON.parse(resolve(tool(true), args).body!.content as string)).toEqual({
        address_line1: 'a',
        address_line2: 'b',
        extra: { n: null },
      });
      expect(() => validate(tool(false), { id: '1', extra: 1 })).toThrow('extra is not an argument');
    });

    it.each([
      ['in another spelling', false, { AddressLine1: 'x' }, 'did you mean address_line1?'],
      ['with a slip, and required', true, { adress_line1: 'x' }, 'did you mean address_line1?'],
      ['with a slip, and not required', false, { adress_line1: 'x' }, 'did you mean address_line1?'],
      ['beside the one that it resembles', true, { address_line1: 'x', adress_line1: 'y' }, null],
    ])(
      'are refused there too when a declared one was plainly meant: %s',
      (_what, required, args, refusal) => {
        const given = { id: '1', ...args };
        if (refusal === null) expect(validate(tool(true, required), given)).toHaveProperty('adress_line1');
        else expect(() => validate(tool(true, required), given)).toThrow(refusal);
      },
    );
  });

  describe('that can mean only one thing', () => {
    const nested: JsonSchema = {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        on: { type: 'boolean' },
        ids: { type: 'array', items: { type: 'integer' } },
      },
    };
    it.each<[string, JsonSchema, unknown, unknown]>([
      ['a number as text', { type: 'integer' }, '3', 3],
      ['a fraction as text', { type: 'number' }, '-1.5e3', -1500],
      ['a boolean as text', { type: 'boolean' }, 'true', true],
      ['in a union without text', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, '7', 7],
      [
        'inside objects and lists',
        nested,
        { n: '1', on: 'false', ids: ['1', 2] },
        { n: 1, on: false, ids: [1, 2] },
      ],
      ['inside JSON text', nested, '{"n":"1"}', { n: 1 }],
    ])('are read so: %s', (_what, schema, value, meant) => {
      expect(run([query('a', schema)], { a: value })).toEqual({ a: meant });
    });

    it.each<[JsonSchema, unknown]>([
      [{ type: 'integer' }, '3.5'],
      [{ type: 'integer' }, '5.00'],
      [{ type: 'integer' }, '1e3'],
      [{ type: 'integer' }, ' 3 '],
      [{ type: 'integer' }, '007'],
      [{ type: 'number' }, '+1'],
      [{ type: 'boolean' }, 'False'],
      [{ type: 'integer' }, ''],
      [{ type: 'integer' }, '0x10'],
      [{ type: 'number' }, 'Infinity'],
      [{ type: 'boolean' }, 'yes'],
      [{ type: 'boolean' }, 1],
    ])('are refused when they cannot: %j %j', (schema, value) => {
      expect(() => run([query('a', schema)], { a: value })).toThrow('a must be');
    });

    it('keep text where text is allowed', () => {
      expect(run([query('a', { type: ['string', 'integer'] })], { a: '3' })).toEqual({ a: '3' });
      expect(run([query('a', {})], { a: 'true' })).toEqual({ a: 'true' });
    });

    it('are absent when they are null, unless null is allowed', () => {
      const parameters = [
        query('a', { type: 'string' }),
        query('b', { type: ['string', 'null'] }),
        query('c', { type: 'integer' }, { default: 5, required: true }),
        query('d', { enum: ['x', 'y'] }),
        query('e', {}),
      ];
      expect(run(parameters, { a: null, b: null, c: null, d: null, e: null })).toEqual({
        b: null,
        c: 5,
        e: null,
      });
      expect(() => run([query('a', { type: 'string' }, { required: true })], { a: null })).toThrow(
        'a must be a string',
      );
    });
  });

  it('say how many faults they do not list', () => {
    const list = { type: 'array', items: { type: 'integer' } };
    expect(() => run([query('a', list)], { a: Array.from({ length: 33 }, () => 'x') })).toThrow(
      /a\[19\] must be an integer; 13 more problems are not listed$/,
    );
  });

  it('name every fault in one line', () => {
    const parameters = [
      query('location', { type: 'string' }, { required: true }),
      query('limit', { type: 'integer' }),
      query('tags', { type: 'array', items: { type: 'string' } }),
    ];
    expect(() => run(parameters, { limit: 'x', tags: ['a', 1] })).toThrow(
      'location is required; limit must be an integer; tags[1] must be a string',
    );
  });

  describe('that are JSON text', () => {
    const tags = (schema: JsonSchema) => [query('tags', schema)];
    it.each([
      ['an array is wanted', { type: 'array' }, '["a"]', ['a']],
      ['an object is wanted', { type: 'object' }, ' {"a":1}', { a: 1 }],
      ['null is the only other reading', { type: ['array', 'null'] }, '[]', []],
      ['a referenced array is wanted', { $ref: '#/$defs/list' }, '[1]', [1]],
      ['every branch of a union refuses text', { anyOf: [{ type: 'array' }, { type: 'null' }] }, '[1]', [1]],
    ])('are read when %s', (_when, schema, text, value) => {
      expect(run(tags(schema), { tags: text }, { list: { type: 'array' } })).toEqual({ tags: value });
    });

    it.each([
      ['text is allowed too', { type: ['array', 'string'] }],
      ['the schema does not say', {}],
      ['a branch allows text', { anyOf: [{ type: 'array' }, { type: 'string' }] }],
    ])('stay text when %s', (_when, schema) => {
      expect(run(tags(schema), { tags: '["a"]' })).toEqual({ tags: '["a"]' });
    });

    it('are refused when they are not valid JSON, or not what is wanted', () => {
      expect(() => run(tags({ type: 'array' }), { tags: '[1,' })).toThrow('tags must be an array');
      expect(() => run(tags({ type: 'array' }), { tags: '{"a":1}' })).toThrow('tags must be an array');
    });
  });
});
