import type { Row } from '../row.ts';

const again = (part: string, times: number, between = ' | ') =>
  Array.from({ length: times }, () => part).join(between);

const expressions: readonly [string, string][] = [
  ['pads and splits', "split(pad_left('b', `134217728`, 'a'), 'a')"],
  ['pads without end', "pad_right('b', to_number('Infinity'))"],
  ['pads each of many', "map(&pad_right('a', `1000000`), split(pad_left('b', `2000`, ','), ','))"],
  ['flattens 240 times', again('[]', 240, '')],
  ['doubles a list', again('[@, @]', 40)],
  ['doubles an object', again('{a: @, b: @}', 40)],
  ['doubles a text', again('to_string([@, @])', 40)],
  ['doubles by a map', again('map(&[@, @], to_array(@))[]', 30)],
  ['zips lists', again('zip(to_array(@), to_array(@))[]', 40)],
  [
    'joins long texts',
    "join(pad_left('a', `1000000`), map(&to_string(@), split(pad_left('b', `2000`, ','), ',')))",
  ],
  ['replaces nothing', "replace(pad_left('b', `1000000`, 'a'), '', pad_left('b', `1000`, 'a'))"],
  ['replaces what it puts in', "replace('a', 'a', 'aa', `100000000`)"],
  ['sorts by long keys', "sort_by(split(pad_left('b', `100000`, ','), ','), &pad_left('a', `100000`))"],
  ['groups by long keys', "group_by(split(pad_left('b', `100000`, ','), ','), &pad_left('a', `100000`))"],
  ['compares what was doubled', `(${again('[@, @]', 30)}) == (${again('[@, @]', 30)})`],
  ['names what was doubled', `let $x = (${again('[@, @]', 20)}) in [$x, $x, $x][][][][][][]`],
  ['trims what backtracks', "trim_right(join('b', split(pad_left('b', `1000000`, ' '), 'x')))"],
  ['nests parentheses', `${'('.repeat(990)}a${')'.repeat(990)}`],
  ['nests filters', `${'[?'.repeat(600)}a${']'.repeat(600)}`],
  ['nests functions', `${'abs('.repeat(390)}a${')'.repeat(390)}`],
  ['negates', '!'.repeat(1_990)],
  ['is a long literal', `\`${'['.repeat(990)}${']'.repeat(990)}\``],
  ['is a long pointer', '/a'.repeat(50_000)],
];

/** Expressions that a caller selects with. */
export const hostileSelects: readonly Row[] = expressions.map(([what, select]) => ({
  what: `a select that ${what}`,
  way: { by: 'call', arguments: { path: 'p', _select: select } },
  expected: 'answered',
}));
