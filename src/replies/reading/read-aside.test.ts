import { describe, expect, it } from 'vitest';
import { readPart, selectPart } from './read-aside.ts';
import { PartError } from './read-part.ts';

describe('an expression that somebody else wrote', () => {
  it.each([
    ['a.b[1]', '2'],
    ['a.{x: b[0], y: b[1]}', '{"x":1,"y":2}'],
    ['a | [@, @]', '[{"b":[1,2]},{"b":[1,2]}]'],
    ['let $all = a.b in a.b[].[@, $all[0]]', '[[1,1],[2,1]]'],
    ['nothing', 'null'],
  ])('selects: %s', async (select, expected) => {
    expect(await selectPart('{"a":{"b":[1,2]}}', select)).toBe(expected);
  });

  it('is given up when what it makes is more than a machine can hold', async () => {
    const select = Array.from({ length: 40 }, () => '[@, @]').join(' | ');
    const tried = selectPart('{"a":1}', select);
    await expect(tried).rejects.toThrow(PartError);
    await expect(tried).rejects.toThrow('select less, or in a simpler way');
  });

  it('reads parts of long texts as of short ones', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `Thing ${n}` }));
    const request = { select: '[-1].name', offset: 0 };
    expect(await readPart(JSON.stringify(rows), request, 1_000)).toEqual({
      text: 'Thing 19999',
      note: '[lines 0 to 0 of 1: the end.]',
    });
  });
});
