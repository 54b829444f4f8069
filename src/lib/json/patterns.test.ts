import { RE2JS } from 're2js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import fc from '../../../test/support/property.ts';
import { compileSchema } from './json-schema.ts';
import { compiledPattern, patternSteps } from './patterns.ts';

const alternatives = (count: number, of: number | string = '') =>
  Array.from({ length: count }, (_, i) => `word${of}x${i}`).join('|');
const characters = (count: number) =>
  Array.from({ length: count }, (_, i) => String.fromCodePoint(0x4e00 + 2 * i)).join('');
const pattern = String.raw;

/** Schemas whose patterns take long to compile, and a value that fits all of them. */
const costly: readonly [string, Record<string, unknown>, unknown][] = [
  [
    'twenty patterns of 20,000 alternatives',
    {
      properties: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`p${i}`, { pattern: alternatives(20_000, i) }]),
      ),
    },
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, 'no word'])),
  ],
  ['nested repetitions', { pattern: '(a{1000}){1000}' }, 'b'],
  ['a repetition of a long text', { pattern: `(?:${'ab'.repeat(500)}){1000}` }, 'b'],
  ['repetitions side by side', { pattern: 'a{1000}'.repeat(500) }, 'b'],
  ['a repetition of a class of Unicode', { pattern: `(?:${pattern`\p{L}{1,30}`.repeat(30)}){1,30}` }, '1'],
  ['many classes of Unicode', { pattern: pattern`\p{L}`.repeat(700) }, '1'],
  ['classes of Unicode in a class', { pattern: `[${pattern`\p{L}\P{Lu}`.repeat(1_000)}]` }, '1'],
  ['a class of many characters', { pattern: `[${characters(10_000)}]` }, 'a'],
  ['nested groups', { pattern: `${'(a'.repeat(2_000)}${')'.repeat(2_000)}` }, 'b'],
  ['a long text', { pattern: 'a'.repeat(500_000) }, 'b'],
  [
    'many small patterns',
    {
      properties: Object.fromEntries(
        Array.from({ length: 500 }, (_, i) => [`p${i}`, { pattern: alternatives(60, i) }]),
      ),
    },
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, `word${i}x0`])),
  ],
  [
    'patterns of names',
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 100 }, (_, i) => [alternatives(500, i), { type: 'integer' }]),
      ),
      additionalProperties: false,
    },
    { anything: 'at all' },
  ],
  [
    'the branches of a union',
    {
      oneOf: Array.from({ length: 100 }, (_, i) => ({
        type: 'object',
        properties: { kind: { const: i }, text: { pattern: alternatives(60, i) } },
        required: ['kind'],
      })),
    },
    { kind: 7, text: 'word7x1' },
  ],
  [
    'a place that only the validator looks at',
    { definitions: { a: { pattern: alternatives(20_000) } }, $ref: '#/definitions/a' },
    'b',
  ],
];

describe('patterns of a schema', () => {
  let work = 0;
  beforeEach(() => {
    work = 0;
    const compile = RE2JS.compile.bind(RE2JS);
    vi.spyOn(RE2JS, 'compile').mockImplementation((source: string) => {
      work += source.length;
      const compiled = compile(source);
      work += compiled.programSize();
      return compiled;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(costly)('take no more than a budget to compile: %s', (_what, schema, value) => {
    const check = compileSchema(schema);
    const violations = check(value);
    check(['something else']);
    check({ kind: 3, text: 1 });
    expect(work).toBeLessThanOrEqual(10_000);
    expect(violations).toEqual([]);
  });

  it('are checked as far as the budget goes, the others when they are small enough', () => {
    const check = compileSchema({
      properties: { large: { pattern: alternatives(20_000) }, small: { pattern: '^[a-z]{1,64}$' } },
    });
    expect(check({ large: 'no word', small: 'abc' })).toEqual([]);
    expect(check({ large: 'no word', small: 'ABC' })).toHaveLength(1);
  });

  it('that are not checked never refuse a value, under not and oneOf either', () => {
    const large = { pattern: alternatives(20_000) };
    for (const schema of [
      { not: large },
      { oneOf: [large, { maxLength: 9 }] },
      { if: { not: large }, else: false },
    ])
      expect(compileSchema(schema)('word')).toEqual([]);
  });

  it('are compiled once for all schemas that have them', () => {
    for (let i = 0; i < 10; i++) compileSchema({ pattern: `^shared-${'x'.repeat(50)}$` })('shared');
    expect(RE2JS.compile).toHaveBeenCalledTimes(1);
  });

  it('do not stay in memory without end', () => {
    const first = alternatives(300, 'first');
    compiledPattern(first);
    for (let i = 0; i < 60; i++) compiledPattern(alternatives(300, i));
    const before = vi.mocked(RE2JS.compile).mock.calls.length;
    compiledPattern(alternatives(300, 59));
    expect(RE2JS.compile).toHaveBeenCalledTimes(before);
    compiledPattern(first);
    expect(RE2JS.compile).toHaveBeenCalledTimes(before + 1);
  });

  it('that a caller sends as a value are bounded as well', () => {
    const check = compileSchema({ items: { type: 'string', format: 'regex' } });
    expect(check(['a+', '(?=x)y'])).toHaveLength(1);
    work = 0;
    check(Array.from({ length: 1_000 }, (_, i) => alternatives(200, i)));
    check([alternatives(20_000)]);
    expect(work).toBeLessThanOrEqual(50_000);
  });

  it('match in bounded steps, however long the text: what is too much is not checked', () => {
    let steps = 0;
    const { matcher } = RE2JS.prototype;
    vi.spyOn(RE2JS.prototype, 'matcher').mockImplementation(function (this: RE2JS, text) {
      steps += this.programSize() * (text as string).length;
      return matcher.call(this, text);
    });
    const check = compileSchema({ items: { pattern: '^(?:a*b*c*){200}$' } });
    expect(check(['abc', 'd'])).toHaveLength(1);
    expect(check(Array.from({ length: 100 }, () => `${'ab'.repeat(500)}d`)).length).toBeLessThan(100);
    expect(check([`${'ab'.repeat(50_000)}d`])).toEqual([]);
    expect(steps).toBeLessThanOrEqual(3 * 5_000_000);
  });
});

describe('the steps that a pattern is said to take', () => {
  it('are at least its characters and its instructions', () => {
    const piece = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom(
          'a',
          '.',
          pattern`\d`,
          pattern`\p{L}`,
          '[a-z]',
          '[^x]',
          pattern`[\w.-]`,
          '^',
          '$',
          pattern`\b`,
          '[]]',
          '[[:alpha:]]',
          '{',
          '{a}',
          'x{,3}',
          pattern`\{`,
          pattern`\Qa{9}\E`,
        ),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => a + b),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => `${a}|${b}`),
        fc.tuple(fc.constantFrom('(', '(?:', '(?i:', '(?<n>'), tie('any')).map(([open, a]) => `${open}${a})`),
        fc
          .tuple(
            tie('any'),
            fc.constantFrom('*', '+', '?', '*?', '{3}', '{2,}', '{0,7}', '{1,9}?', '{0}', '{30}'),
          )
          .map(([a, times]) => `(?:${a})${times}`),
        fc
          .tuple(fc.constantFrom('a', '[b-d]', pattern`\w`), fc.constantFrom('*', '{20}', '{3,}', '{0,40}'))
          .map(([a, times]) => a + times),
      ),
    })).any;
    let compared = 0;
    fc.assert(
      fc.property(piece, (source) => {
        let size: number;
        try {
          size = RE2JS.compile(RE2JS.translateRegExp(source)).programSize();
        } catch {
          return;
        }
        compared++;
        expect(patternSteps(source)).toBeGreaterThanOrEqual(source.length + size);
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(1_500);
  });
});
