import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { type Skim, skimJson, SkimmedList, SkimmedObject } from './skim-json.ts';

function plain(skim: Skim): unknown {
  if (skim instanceof SkimmedList) return skim.items.map(plain);
  if (!(skim instanceof SkimmedObject)) return skim;
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of skim.fields)
    Object.defineProperty(copy, key, {
      value: plain(inner),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return copy;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const signs = ['{', '}', '[', ']', ',', ':', '"', '\\', '\\u00e9', '\\ud83', '\n', ' ', '\u0001', 'é'];
const words = [
  '0',
  '1',
  '12',
  '-',
  '.',
  'e',
  'E+',
  '01',
  'true',
  'nul',
  'null',
  'false',
  '"a"',
  '"a":',
  '1e5',
];
const pieces = [...signs, ...words];

describe('skimming JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(plain(skimJson(text)!)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what JSON.parse refuses, and nothing else', () => {
    const piece = fc.constantFrom(...pieces);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (some) => {
        const text = some.join('');
        const skim = skimJson(text);
        const value = parsed(text);
        expect(skim === undefined).toBe(value === undefined);
        if (skim !== undefined) expect(plain(skim)).toEqual(value);
      }),
      { numRuns: 5_000 },
    );
    const cut = JSON.stringify([{ a: 'b\\"\u2028', c: [1.5e-7, null, true] }], null, 1);
    for (let at = 0; at < cut.length; at++)
      expect(skimJson(cut.slice(0, at)) === undefined).toBe(parsed(cut.slice(0, at)) === undefined);
  });

  it('counts what it leaves out, and hears of every record', () => {
    const text = JSON.stringify(
      Array.from({ length: 5_000 }, (_, n) => ({ n, all: Array.from({ length: 300 }, () => 1) })),
    );
    const starts: number[] = [];
    const skim = skimJson(text, (at) => starts.push(at)) as SkimmedList;
    expect([skim.length, skim.items.length, starts.length]).toEqual([5_000, 100, 5_000]);
    const all = (skim.items[0] as SkimmedObject).fields.get('all') as SkimmedList;
    expect([all.length, all.items.length]).toEqual([300, 100]);
    expect(text.slice(starts[4_999], starts[4_999]! + 9)).toBe('{"n":4999');
  });

  it('is not confused by depth, or by a list that is no list of records', () => {
    const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
    expect(skimJson(deep)).toBeInstanceOf(SkimmedList);
    const starts: number[] = [];
    skimJson('{"a":[1,2,3]}', (at) => starts.push(at));
    expect(starts).toEqual([]);
  });
});
