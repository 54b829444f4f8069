import { describe, expect, it } from 'vitest';
import { PartError } from './part-request.ts';
import { runReading } from './read-in-thread.ts';

const selected = async (text: string, select: string) =>
  (await runReading('me', { kind: 'select', text, select })).text;

describe('an expression that somebody else wrote', () => {
  it.each([
    ['a.b[1]', '2'],
    ['a.{x: b[0], y: b[1]}', '{"x":1,"y":2}'],
    ['a | [@, @]', '[{"b":[1,2]},{"b":[1,2]}]'],
    ['let $all = a.b in a.b[].[@, $all[0]]', '[[1,1],[2,1]]'],
    ['nothing', 'null'],
  ])('selects: %s', async (select, expected) => {
    expect(await selected('{"a":{"b":[1,2]}}', select)).toBe(expected);
  });

  it('is given up when what it makes is more than a machine can hold', async () => {
    const select = Array.from({ length: 40 }, () => '[@, @]').join(' | ');
    const tried = selected('{"a":1}', select);
    await expect(tried).rejects.toThrow(PartError);
    await expect(tried).rejects.toThrow('select less, or use a simpler expression');
  });

  it.each([0, 20_000])('keeps all digits of long numbers (%i rows more)', async (more) => {
    const rows = Array.from({ length: more }, (_, n) => `{"id":${n}}`).join(',');
    const text = `{"a":[9007199254740993,-0.12345678901234567890,1.5],"rows":[${rows}]}`;
    expect(await selected(text, 'a')).toBe('[9007199254740993,-0.12345678901234567890,1.5]');
    expect(await selected(text, 'a[0]')).toBe('9007199254740993');
  });

  it('finds texts in long replies as in short ones', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `Thing ${n}` }));
    const search = 'thing 19999';
    const text = JSON.stringify(rows);
    expect(
      await runReading('me', { kind: 'search', text, search, request: { offset: 0, search }, tokens: 100 }),
    ).toEqual({ text: '[19999].name: Thing 19999', note: '[hits 0 to 0 of 1: the end.]' });
  });
});
