import { describe, expect, it } from 'vitest';
import { problemsIn } from './problems.ts';
import {
  type AnySchema,
  byKey,
  choice,
  flag,
  integer,
  jsonSchema,
  jsonValue,
  list,
  nullable,
  object,
  optional,
  record,
  text,
  variants,
  withRule,
} from './schema.ts';

const word = text({ min: 1, max: 5, pattern: /^[a-z]+$/, wants: 'must be small letters' });
const person = object({ name: word, age: optional(integer({ min: 0, max: 150 })) });
const shape = variants('kind', { dot: {}, line: { length: integer({ min: 1 }) } });
const either = byKey({ id: object({ id: word }), tag: object({ tag: word, all: optional(flag()) }) });

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('what is wrong with a value', () => {
  it.each<[string, AnySchema, unknown, [string, string][]]>([
    ['another kind', word, 5, [['', 'must be text, not a number']]],
    ['nothing at all', word, undefined, [['', 'is required']]],
    ['too short', word, '', [['', 'must not be empty']]],
    ['too long', word, 'abcdef', [['', 'must have at most 5 characters']]],
    ['against the pattern', word, 'AB', [['', 'must be small letters']]],
    ['a fraction', integer(), 1.5, [['', 'must be a whole number']]],
    ['beyond what is exact', integer(), 2 ** 53, [['', 'must be a whole number']]],
    ['below the range', integer({ min: 1 }), 0, [['', 'must be at least 1']]],
    ['above the range', integer({ max: 1 }), 2, [['', 'must be at most 1']]],
    ['text for a flag', flag(), 'true', [['', 'must be true or false, not text']]],
    ['none of the choices', choice('a', 'b'), 'c', [['', 'must be one of "a", "b"']]],
    ['a list as an object', person, [], [['', 'must be an object, not a list']]],
    ['null as an object', person, null, [['', 'must be an object, not null']]],
    ['a field too many', person, { name: 'a', x: 1 }, [['/x', 'is not a known field']]],
    ['a field too few', person, {}, [['/name', 'is required']]],
    ['an inherited field', person, Object.create({ name: 'a' }), [['/name', 'is required']]],
    [
      'the prototype’s name',
      person,
      JSON.parse('{"name":"a","__proto__":{}}'),
      [['/__proto__', 'is not a known field']],
    ],
    ['a bad entry', list(word, { max: 3 }), ['a', 'B'], [['/1', 'must be small letters']]],
    ['too many entries', list(word, { max: 1 }), ['a', 'b'], [['', 'must have at most 1 entry']]],
    ['a bad name', record(word, flag(), { max: 9 }), { 'a/b': true }, [['/a~1b', 'must be small letters']]],
    [
      'the prototype’s name in a record',
      record(text(), flag(), { max: 9 }),
      JSON.parse('{"__proto__":true}'),
      [['/__proto__', 'is not a name that can be used']],
    ],
    ['an unknown variant', shape, { kind: 'round' }, [['/kind', 'must be one of "dot", "line"']]],
    ['no variant', shape, {}, [['/kind', 'is required']]],
    ['an inherited variant', shape, { kind: 'constructor' }, [['/kind', 'must be one of "dot", "line"']]],
    ['a field of another variant', shape, { kind: 'dot', length: 1 }, [['/length', 'is not a known field']]],
    ['neither form', either, {}, [['', 'must have one of the fields id, tag']]],
    ['both forms', either, { id: 'a', tag: 'b' }, [['/tag', 'is not a known field']]],
    ['not JSON', jsonValue(), Number.NaN, [['', 'must be a number that JSON can carry']]],
    ['too deep', jsonValue(), deep(202), [['/0'.repeat(200), 'is nested deeper than 200 levels']]],
    ['no schema', jsonSchema(), true, [['', 'must be a JSON Schema, not true']]],
  ])('%s', (_what, schema, value, expected) => {
    expect(problemsIn(schema, value).map(({ path, message }) => [path, message])).toEqual(expected);
  });

  it.each<[string, AnySchema, unknown]>([
    ['every field', person, { name: 'ab', age: 3 }],
    ['only what is required', person, { name: 'ab' }],
    ['an optional field that is there and undefined', person, { name: 'ab', age: undefined }],
    ['null where it may be', nullable(word), null],
    ['a variant without fields', shape, { kind: 'dot' }],
    ['the first form that fits', either, { tag: 'a', all: true }],
    ['any JSON', jsonValue(), { a: [1, null, 'x', { constructor: true }] }],
  ])('is nothing for %s', (_what, schema, value) => {
    expect(problemsIn(schema, value)).toEqual([]);
  });

  it('asks a rule only about values of the right form, and adds its place', () => {
    const twice = withRule(list(word, { max: 5 }), (words, report) => {
      if (new Set(words).size < words.length) report('/0', 'is there twice');
    });
    const holder = object({ words: twice });
    expect(problemsIn(holder, { words: ['a', 'a'] })).toEqual([
      { path: '/words/0', message: 'is there twice' },
    ]);
    expect(problemsIn(holder, { words: ['a', 5] })).toEqual([
      { path: '/words/1', message: 'must be text, not a number' },
    ]);
  });

  it('tells twenty things at most, and shortens names nobody could read', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x${i}`, 1]));
    expect(problemsIn(object({}), many)).toHaveLength(20);
    const [problem] = problemsIn(object({}), { ['k'.repeat(1_000_000)]: 1 });
    expect(problem?.path.length).toBeLessThan(200);
  });
});
