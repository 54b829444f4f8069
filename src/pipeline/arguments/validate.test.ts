import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Parameter } from '../../domain/operation.ts';
import { apiAt, toolOf } from '../../../test/support/calling.ts';
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

  it('cannot replace a fixed value or set a hidden one', () => {
    const parameters = [
      query('version', { type: 'string' }, { fixed: '2' }),
      query('debug', {}, { hidden: true }),
    ];
    expect(run(parameters, { version: '9', debug: true })).toEqual({ version: '2' });
  });

  it('lose what no parameter declares, inherited names included', () => {
    expect(run([query('a', {})], { a: 1, b: 2, __proto__: { a: 5 }, constructor: 3 })).toEqual({ a: 1 });
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
