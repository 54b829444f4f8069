import { describe, expect, it } from 'vitest';
import type { PlainObject } from '../json/plain-object.ts';
import { schemaProblem } from './json-forms.ts';

describe('what keeps an object from being a JSON Schema', () => {
  it.each<[string, PlainObject, string]>([
    ['an unknown type', { type: 'text' }, '/type'],
    ['no type in a list', { type: [] }, '/type'],
    ['properties that are a list', { properties: [] }, '/properties'],
    ['a property that is no schema', { properties: { a: 5 } }, '/properties/a'],
    ['required as in OpenAPI 2', { required: true }, '/required'],
    ['an empty enum', { enum: [] }, '/enum'],
    ['a length that is text', { maxLength: '5' }, '/maxLength'],
    ['a length below nothing', { minItems: -1 }, '/minItems'],
    ['a step of nothing', { multipleOf: 0 }, '/multipleOf'],
    ['a draft 4 limit', { exclusiveMinimum: true }, '/exclusiveMinimum'],
    ['a pattern that is no text', { pattern: {} }, '/pattern'],
    ['a union of nothing', { anyOf: [] }, '/anyOf'],
    ['items as a list', { items: [{}] }, '/items'],
    [
      'something deep inside',
      { properties: { a: { items: { not: { type: 1 } } } } },
      '/properties/a/items/not/type',
    ],
    [
      'a name that objects inherit by',
      JSON.parse('{"properties":{"__proto__":{}}}') as PlainObject,
      '/properties/__proto__',
    ],
    [
      'the same where it says nothing',
      JSON.parse('{"example":{"__proto__":1}}') as PlainObject,
      '/example/__proto__',
    ],
  ])('%s', (_what, schema, path) => {
    expect(schemaProblem(schema)?.path).toBe(path);
  });

  it.each<[string, PlainObject]>([
    ['nothing', {}],
    ['true and false for schemas', { additionalProperties: false, not: true }],
    ['keywords that only some know', { 'x-y': { type: 5 }, nullable: true, example: null }],
    ['a property that is named like a keyword', { properties: { type: { type: 'string' }, required: {} } }],
    ['an enum of anything', { enum: [null, { type: 5 }] }],
    ['a reference with its definitions', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }],
  ])('is not %s', (_what, schema) => {
    expect(schemaProblem(schema)).toBeNull();
  });
});
