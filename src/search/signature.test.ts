import { describe, expect, it } from 'vitest';
import type { Operation, Parameter } from '../domain/operation.ts';
import { annotationsForMethod } from '../domain/tool.ts';
import { signatureOf } from './signature.ts';

const parameter = (
  name: string,
  schema: object = { type: 'string' },
  more: Partial<Parameter> = {},
): Parameter => ({
  name,
  in: 'query',
  schema: schema as Parameter['schema'],
  required: false,
  ...more,
});

function written(parameters: readonly Parameter[], description = 'Does it.', more: Partial<Operation> = {}) {
  const operation: Operation = { method: 'GET', path: '/x', parameters, ...more };
  const content = {
    name: 'x',
    description,
    tags: [],
    annotations: annotationsForMethod(operation.method),
    operation,
  };
  return signatureOf(content, 'x', description);
}

describe('a signature', () => {
  it.each<[string, Parameter, string]>([
    ['an optional argument', parameter('a'), 'a?: string'],
    ['a required one', parameter('a', { type: 'integer' }, { required: true }), 'a: integer'],
    [
      'one with a default',
      parameter('a', { type: 'integer' }, { required: true, default: 3 }),
      'a?: integer',
    ],
    ['few values', parameter('a', { enum: ['up', 'down'] }), 'a?: "up"|"down"'],
    ['a list', parameter('a', { type: 'array', items: { enum: [1, 2] } }), 'a?: (1|2)[]'],
    [
      'fields',
      parameter('a', { properties: { b: { type: 'string' }, c: { type: 'boolean' } }, required: ['c'] }),
      'a?: {c: boolean, b?: string}',
    ],
    [
      'either of two',
      parameter('a', { oneOf: [{ type: 'string' }, { type: 'null' }, { type: 'number' }] }),
      'a?: string|number',
    ],
    [
      'parts that all hold',
      parameter('a', { allOf: [{ properties: { b: { type: 'string' } } }, { required: ['b'] }] }),
      'a?: {b: string}',
    ],
    ['a date', parameter('a', { type: 'string', format: 'date-time' }), 'a?: date-time'],
    ['anything', parameter('a', {}), 'a?: any'],
  ])('shows %s', (_, one, expected) => {
    expect(written([one])).toEqual({
      text: `x(${expected}) Does it. GET /x [read]`,
      description: 'Does it.',
      partial: false,
    });
  });

  it('does not show what the model cannot set', () => {
    expect(written([parameter('a', {}, { hidden: true }), parameter('b', {}, { fixed: 1 })]).text).toBe(
      'x() Does it. GET /x [read]',
    );
  });

  it.each<[string, readonly Parameter[]]>([
    ['many values', [parameter('a', { enum: ['a', 'b', 'c', 'd', 'e', 'f'] })]],
    ['many arguments', Array.from({ length: 60 }, (_, n) => parameter(`argument_${n}`))],
    [
      'deep fields',
      [parameter('a', { properties: { b: { properties: { c: { properties: { d: {} } } } } } })],
    ],
    ['a definition within itself', [parameter('a', { $ref: '#/$defs/tree' })]],
  ])('marks where it leaves out %s', (_, parameters) => {
    const tree = { properties: { left: { $ref: '#/$defs/tree' } } };
    const { text, partial } = written(parameters, 'Does it.', { defs: { tree } });
    expect(partial).toBe(true);
    expect(text).toContain('…');
  });

  it('has every required argument, however many there are', () => {
    const names = Array.from({ length: 80 }, (_, n) => `argument_${n}`);
    const { text } = written(names.map((name) => parameter(name, { type: 'string' }, { required: true })));
    for (const name of names) expect(text).toContain(`${name}: string`);
  });

  it.each([
    ['a b', '"a b"?: any'],
    ['a"b', '"a\\"b"?: any'],
    ['filter[name]', 'filter[name]?: any'],
  ])('tells the name %j from what stands around it', (name, expected) => {
    expect(written([parameter(name, {})]).text).toContain(`(${expected})`);
  });

  it.each([
    ['First one. Second one.', 'First one.'],
    ['Use e.g. a comma. More.', 'Use e.g. a comma.'],
    ['Version 2.0 of it\nand more', 'Version 2.0 of it and more'],
    ['一つ目。二つ目。', '一つ目。'],
    [`${'word '.repeat(60)}.`, `${'word '.repeat(19).trim()}…`],
  ])('has the first sentence of %j', (description, expected) => {
    expect(written([], description).text).toBe(`x() ${expected} GET /x [read]`);
  });

  it.each([
    ['DELETE', 'destructive'],
    ['POST', 'write'],
    ['PUT', 'write'],
    ['HEAD', 'read'],
  ])('says what a %s does', (method, kind) => {
    expect(written([], '', { method }).text).toBe(`x() ${method} /x [${kind}]`);
  });
});
