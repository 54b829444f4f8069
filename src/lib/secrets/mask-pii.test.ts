import { describe, expect, it } from 'vitest';
import { OverBudget, WorkBudget } from '../work-budget.ts';
import type { PiiCounts } from './find-pii.ts';
import { inlinePiiLimits, maskMatches, piiIn, withholding, withPii } from './mask-pii.ts';
import { createMaskText, keepText } from './mask-secrets.ts';

const patterns = (['card', 'iban', 'email', 'phone'] as const).map((find) => ({ name: find, find }));

function masked(
  text: string,
  secrets: readonly string[] = [],
): [text: string, counts: Record<string, number>] {
  const counts: PiiCounts[] = [];
  const pii = { patterns, onFound: (found: PiiCounts) => void counts.push(found) };
  const shown = withPii(createMaskText(secrets), pii, inlinePiiLimits)(text);
  return [shown, Object.fromEntries(counts.flatMap((found) => [...found]))];
}

describe('withPii', () => {
  it('masks what the rules find, under the name of the rule, and counts it', () => {
    expect(masked('jane@example.com paid with 4111 1111 1111 1111 and 5555555555554444')).toEqual([
      '[masked: email] paid with [masked: card] and [masked: card]',
      { email: 1, card: 2 },
    ]);
  });

  it('masks secrets first', () => {
    expect(masked('key-jane@example.com-key', ['key-jane@example.com-key'])[0]).toBe('[masked]');
  });

  it('keeps JSON valid where a number was masked', () => {
    const [text] = masked('{"card": 4111111111111111, "all":[5555555555554444,1]}');
    expect(JSON.parse(text)).toEqual({ card: '[masked: card]', all: ['[masked: card]', 1] });
  });

  it.each([
    ['an escape', String.raw`"jane@example.com"`],
    ['a URL', 'jane%40example.com'],
    ['a URL twice', 'jane%2540example.com'],
    ['an entity', 'jane&#64;example.com'],
    ['a named entity', 'jane&commat;example&period;com'],
    ['a soft hyphen', 'ja­ne@exam­ple.com'],
    ['a zero-width space', '4111​1111​1111​1111'],
    ['full-width characters', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
    ['full-width digits', '４１１１１１１１１１１１１１１１'],
    ['a line end in JSON', String.raw`"Card:\n4111 1111 1111 1111"`],
  ])('sees through %s', (_, text) => {
    const [shown] = masked(text);
    expect(shown).toContain('[masked: ');
    expect(shown).not.toMatch(/example|1111|ｅｘａ|１１１/);
  });

  it('masks nothing else', () => {
    const text =
      '{"id":1234567890123456,"at":"2024-11-18T20:00:00+01:00","hash":"9f86d081884c7d65","version":"1.2.3"}';
    expect(masked(text)).toEqual([text, {}]);
  });

  it('withholds a text that takes too much work where no thread can do it', () => {
    const mask = withPii(keepText, { patterns, onFound: () => {} }, { steps: 100, bytes: 0 });
    expect(() => mask('x'.repeat(200))).toThrow(OverBudget);
    expect(withholding(mask)('x'.repeat(200))).toBe('[masked: too long to be checked for personal data]');
  });

  it('joins matches that overlap', () => {
    const names = [
      { name: 'a', find: 'pattern' as const, pattern: 'bcd' },
      { name: 'b', find: 'pattern' as const, pattern: 'cde' },
    ];
    const text = 'abcdef';
    expect(maskMatches(text, piiIn(text, names, new WorkBudget(inlinePiiLimits)))).toBe('a[masked: a]f');
  });
});
