import { describe, expect, it } from 'vitest';
import { inlineMarks } from '../../src/page/inline-marks.ts';

describe('marks within a line', () => {
  it.each<[string, [kind: string, text: string, address?: string][]]>([
    ['plain words, 2 * 3 * 4, snake_case_name', []],
    [
      '`code` and **strong *inside* it** and *soft* and _soft_',
      [
        ['code', 'code'],
        ['strong', 'strong *inside* it'],
        ['emphasis', 'soft'],
        ['emphasis', 'soft'],
      ],
    ],
    [
      '~~gone~~ ***both***',
      [
        ['struck', 'gone'],
        ['strong', 'both'],
      ],
    ],
    [
      '[a page](https://a.example/x "title") ![a picture](b.png)',
      [
        ['link', 'a page', 'https://a.example/x'],
        ['link', 'a picture', 'b.png'],
      ],
    ],
    ['[[nested](x)', [['link', 'nested', 'x']]],
    [
      'see https://a.example/x. And <http://b.example>!',
      [
        ['link', 'https://a.example/x', 'https://a.example/x'],
        ['link', 'http://b.example', 'http://b.example'],
      ],
    ],
    ['``, ****, [](, [x], http://, https://., _a_b', []],
  ])('%s', (line, expected) => {
    expect(
      inlineMarks(line).map(({ kind, text, address }) =>
        address === undefined ? [kind, text] : [kind, text, address],
      ),
    ).toEqual(expected);
  });

  it.each(['`', '*', '**a', '_a', '~~', '[', '[](', '![x](', '<http://', 'https://a'])(
    'reads a line of nothing but %s to its end',
    (part) => {
      const line = part.repeat(200_000 / part.length);
      const marks = inlineMarks(line);
      expect(marks.every(({ start, end }) => start < end && end <= line.length)).toBe(true);
    },
  );
});
