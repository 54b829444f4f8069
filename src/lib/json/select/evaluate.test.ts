import { getRegisteredFunctions, type JSONValue, search } from '@jmespath-community/jmespath';
import { describe, expect, it } from 'vitest';
import fc from '../../../../test/support/property.ts';
import { OverBudget, WorkBudget } from '../../work-budget.ts';
import { parseMarked } from '../numbers/exact-numbers.ts';
import { selectFunctions } from './functions.ts';
import { readSelect, SelectError } from './select-part.ts';
import { writeJson } from './write-json.ts';

const limits = { steps: 200_000, bytes: 4_000_000 };

function ours(expression: string, value: unknown): unknown {
  return readSelect(expression)(value, new WorkBudget(limits));
}

const names = ['a', 'b', 'c', 'id', 'name', 'tags'];

const json = fc.letrec<{ value: JSONValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JSONValue[]>(
      null,
      true,
      false,
      0,
      1,
      -2,
      3.5,
      10,
      9,
      1e21,
      '',
      'a',
      'b',
      'ab',
      '10',
      ' x ',
      'é😀z',
      '😀',
      'a,b,c',
      '$&',
    ),
    fc.constant(parseMarked('9007199254740993') as JSONValue),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 5 }),
    fc.array(fc.constantFrom('b', 'a', 'ab', '', '😀', '\uffff', 'a'), { maxLength: 5 }),
    fc.array(fc.record({ id: fc.integer({ min: 0, max: 3 }), name: fc.constantFrom('x', 'y', 'z') }), {
      maxLength: 5,
    }),
    fc.array(fc.tuple(fc.constantFrom('k', 'l', '1'), tie('value')), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const literal = fc.constantFrom(
  '`1`',
  '`0`',
  '`-1`',
  '`2.5`',
  '`null`',
  '`true`',
  '`[1, 2]`',
  '`[[1], [2, 3]]`',
  '`{"a": 1}`',
  "'a'",
  "''",
  "'b'",
  "','",
  '`"é😀"`',
  '`[]`',
  '`{}`',
  '`"10"`',
);

/** An expression for each function, with arguments of the right kind more often than not. */
const expression = fc.letrec<{ any: string; path: string; call: string }>((tie) => ({
  path: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(
      '@',
      '$',
      ...names,
      '[]',
      '[*]',
      '*',
      '[0]',
      '[-1]',
      '[1:]',
      '[::-1]',
      '[::2]',
      'a[0:2]',
      'name[1:]',
      'tags[::-1]',
      '[--1]',
    ),
    fc
      .tuple(
        tie('path'),
        fc.constantFrom(
          '[]',
          '[*]',
          '.*',
          '[0]',
          '[-2]',
          '[1:3]',
          '[?a]',
          '[?@]',
          '[].id',
          '.a',
          '.b.c',
          '.{x: a, y: @}',
          '.[a, b]',
          '[?id > `1`].name',
          ' | [0]',
        ),
      )
      .map(([path, more]) => `${path}${more}`),
  ),
  call: fc
    .tuple(
      fc.constantFrom(...selectFunctions.keys()),
      fc.array(tie('any'), { minLength: 4, maxLength: 4 }),
      tie('path'),
    )
    .map(([name, args, key]) => {
      const { takes, min, max } = selectFunctions.get(name)!;
      const count = max === Infinity ? 2 : Math.min(max, min + (args[0]!.length % 2));
      const given = args
        .slice(0, count)
        .map((arg, at) => (takes[at]?.includes('expression') ? `&${key === '$' ? '@' : key}` : arg));
      return `${name}(${given.join(', ')})`;
    }),
  any: fc.oneof(
    { depthSize: 'medium' },
    tie('path'),
    literal,
    tie('call'),
    tie('call'),
    fc
      .tuple(
        tie('any'),
        fc.constantFrom('==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '//', '%', '&&', '||', '|'),
        tie('any'),
      )
      .map(([a, sign, b]) => `(${a}) ${sign} (${b})`),
    fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    fc.tuple(fc.constantFrom('!', '-', '+'), tie('any')).map(([sign, a]) => `${sign}(${a})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `{x: ${a}, "1": ${b}}`),
    fc.tuple(tie('any'), tie('path')).map(([a, b]) => `let $v = ${a} in [$v, ${b}]`),
    fc.tuple(tie('any'), tie('path')).map(([a, b]) => `(${a}) | ${b}`),
  ),
})).any;

type Came = { readonly value: unknown } | { readonly thrown: string };

function came(run: () => unknown): Came {
  try {
    return { value: run() };
  } catch (error) {
    return { thrown: error instanceof Error ? error.name : '' };
  }
}

describe('an expression that stays within its budget', () => {
  it('comes to what the library makes of it', () => {
    let compared = 0;
    const called = new Set<string>();
    fc.assert(
      fc.property(expression, json, (text, value) => {
        const own = came(() => ours(text, value));
        if ('thrown' in own && own.thrown === 'OverBudget') return;
        const library = came(() => search(value, text));
        // The library loses the variables of an outer let, and takes what is no list for one in zip.
        if ('thrown' in library && 'value' in own) expect(text).toMatch(/let|zip/);
        else if ('thrown' in own && 'value' in library) expect(text).toMatch(/zip/);
        else expect(own).toEqual('thrown' in library ? { thrown: expect.any(String) } : library);
        if ('value' in own) {
          compared++;
          for (const [, name] of text.matchAll(/(\w+)\(/g)) called.add(name!);
        }
      }),
      { numRuns: 6_000 },
    );
    expect(compared).toBeGreaterThan(1_000);
    expect([...called].filter((name) => selectFunctions.has(name)).toSorted()).toEqual(
      getRegisteredFunctions().toSorted(),
    );
  });

  it('takes arguments of each function as the library does', () => {
    const args = fc.array(json, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...selectFunctions.keys()), args, (name, given) => {
        const { takes } = selectFunctions.get(name)!;
        const text = `${name}(${given.map((_, at) => (takes[at]?.includes('expression') ? '&name' : `[${at}]`)).join(', ')})`;
        const [own, library] = [came(() => ours(text, given)), came(() => search(given, text))];
        if (name === 'zip' && 'thrown' in own) return;
        expect('thrown' in own, text).toBe('thrown' in library);
        if ('value' in own) expect(own).toEqual(library);
      }),
      { numRuns: 6_000 },
    );
  });

  it.each([
    ['constructor', {}, null],
    ['toString.name', {}, null],
    ['{"__proto__": a}."__proto__"', { a: 1 }, 1],
    ['group_by(@, &k).constructor', [{ k: 'constructor' }], [{ k: 'constructor' }]],
    ['map(&$x, a)', { a: [1] }, null],
    ['type(a)', { a: { expref: true, type: 'Current' } }, 'object'],
    ['let $x = b in map(&[$x, @], a)', { a: [1], b: 2 }, [[2, 1]]],
    ['let $x = `0` in (let $y = `1` in [$x, $y])', {}, [0, 1]],
  ])('differs where the library is wrong: %s', (text, value, expected) => {
    if (expected === null && text.includes('$x'))
      expect(() => ours(text, value)).toThrow('undefined variable x');
    else expect(ours(text, value)).toEqual(expected);
  });
});

const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `Name ${id}`, tags: ['a', 'b', 'c'] }));
const again = (part: string, times: number, between = ' | ') =>
  Array.from({ length: times }, () => part).join(between);

describe('an expression that takes more than its budget', () => {
  it.each([
    "split(pad_left('b', `134217728`, 'a'), 'a')",
    "split(pad_left('b', `3000000`, 'a'), '')",
    '[].pad_right(name, `1000000`)',
    "pad_left('a', to_number('Infinity'))",
    "pad_left('a', `1e300`)",
    again('[]', 240, ''),
    again('[@, @]', 40),
    again('{a: @, b: @}', 40),
    `(${again('[@, @]', 30)}) == (${again('[@, @]', 30)})`,
    again('to_string([@, @])', 40),
    again('join(to_string(@), [].name)', 5),
    "replace(join('', [].name), '', to_string(@))",
    "replace('a', 'a', 'aa', `100000000`)",
    "replace('ab', 'a', '$\\'a$\\'', `200`)",
    again('[*].[@, @][]', 30),
    again('zip(@, @)[]', 60),
    again('map(&[@, @], @)[]', 40),
    'map(&$, @) | map(&$, [] | [])[][]',
    '[?contains(map(&$, $)[].id, id)]',
    'sort_by(@, &to_string($))',
    again('sort_by(@, &to_string(@))', 60),
    'group_by(@, &to_string($))',
    'max_by(@, &length(to_string($)))',
    'let $x = @ in [].[$x, $x[].[$x, $x][].name][]',
    'from_items(zip([].name, map(&to_string($), @)))',
    '[].merge(@, from_items(zip($[].name, $[].id)))',
    '[].values(from_items(zip($[].name, $[].id)))[]',
    '[].reverse(to_string($))',
    '[].upper(to_string($))',
    '[].trim(to_string($))',
    '[].split(to_string($), `","`)',
    '[].find_first(to_string($), pad_left(`"b"`, `1000`, `"a"`))',
    again('{a: [*].{b: @, c: $}}.a', 8),
  ])('ends in time, with an error that says so: %s', (text) => {
    const budget = new WorkBudget(limits);
    expect(() => writeJson(readSelect(text)(rows, budget), budget)).toThrow(OverBudget);
  });

  it('is charged for reading the same value many times, not only for making one', () => {
    const long = { key: 'x'.repeat(100_000), wide: Object.fromEntries(rows.map(({ id }) => [`k${id}`, id])) };
    const spent = (text: string) => {
      let steps = 0;
      const budget = new WorkBudget({ steps: 10_000_000, bytes: 100_000_000 });
      const spend = budget.spend.bind(budget);
      budget.spend = (more, bytes) => {
        steps += more;
        spend(more, bytes);
      };
      readSelect(text)(long, budget);
      return steps;
    };
    for (const once of [
      'wide || key',
      'length(key)',
      "contains(key, 'y')",
      "key == 'y'",
      'lower(key)',
      'trim(key)',
      'length(wide)',
    ])
      expect(spent(`[${again(once, 20, ', ')}]`), once).toBeGreaterThan(19 * (spent(once) - 1));
  });
});

describe('reading an expression', () => {
  it.each([
    ['(', ')', 'a'],
    ['[', ']', 'a'],
    ['[?', ']', 'a'],
    ['{a:', '}', 'a'],
    ['abs(', ')', 'a'],
    ['!', '', 'a'],
    ['- ', '', 'a'],
    ['a?', ':a', 'a'],
    ['*.', '', '*'],
    ['[*]', '', ''],
    ['[:1]', '', ''],
    ['a||', '', 'a'],
    ['a.', '', 'a'],
    ['a|', '', 'a'],
    ['let $a=b in ', '', 'a'],
    ['&', '', 'a'],
  ])('has bounds however it is nested: %s…%s', (open, close, middle) => {
    for (const times of [100, 400, 998, 1_990]) {
      const text = `${open.repeat(times)}${middle}${close.repeat(times)}`;
      const read = came(() => readSelect(text)({ a: 1 }, new WorkBudget(limits)));
      if ('thrown' in read)
        expect(() => readSelect(text)({ a: 1 }, new WorkBudget(limits))).not.toThrow(RangeError);
    }
    expect(() => readSelect(open.repeat(990) + middle + close.repeat(990))).toThrow(SelectError);
  });

  it('has a bound of its length, also as a pointer', () => {
    expect(() => readSelect('/a'.repeat(1_001))).toThrow(SelectError);
    expect(() => readSelect(`'${'a'.repeat(2_000)}'`)).toThrow(SelectError);
  });
});
