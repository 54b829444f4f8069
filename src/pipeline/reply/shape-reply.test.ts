import { describe, expect, test } from 'vitest';
import type { ReplyMapping } from '../../domain/tool.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { inlineLimits } from './reply-thread.ts';
import { shapeText as shapeWithin } from './shape-reply.ts';
import fc from '../../../test/support/property.ts';

const shapeText = (mapping: ReplyMapping, text: string) =>
  shapeWithin(mapping, text, new WorkBudget(inlineLimits));

const reply = JSON.stringify({
  total: 3,
  items: [
    { id: 1, name: 'Ada', address: { city: 'Paris' } },
    { id: 2, name: 'Ben', address: { city: 'Rom' } },
    { id: 3, name: 'Çim', address: null },
  ],
});

function readable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('shaping a reply', () => {
  test.each([
    { select: "split(pad_left('b', `134217728`, 'a'), 'a')" },
    { template: `{{${Array.from({ length: 40 }, () => '[@, @]').join(' | ')}}}` },
    { select: 'items[].name[][][]', template: '{{pad_left(@, `100000`)}}'.repeat(100) },
  ])('ends where that takes more than its budget: %j', (mapping) => {
    expect(() => shapeText({ ...mapping, maxBytes: 10 }, reply)).toThrow(OverBudget);
  });

  test.each([
    ['items[].name', '["Ada","Ben","Çim"]'],
    ['items[?id > `1`].{n: name}', '[{"n":"Ben"},{"n":"Çim"}]'],
    ['/items/0/address/city', 'Paris'],
    ['/items/0/missing', 'null'],
    ['total', '3'],
  ])('selects %s', (select, text) => {
    expect(shapeText({ select }, reply)).toEqual({ text, notes: [] });
  });

  test('fills a template, item by item for a list', () => {
    expect(
      shapeText({ select: 'items', template: '{{id}}: {{ name }} ({{address.city}})' }, reply).text,
    ).toBe('1: Ada (Paris)\n2: Ben (Rom)\n3: Çim ()');
    expect(shapeText({ template: '{{total}} in all, first {{/items/0/name}}' }, reply).text).toBe(
      '3 in all, first Ada',
    );
  });

  test('cuts a list after whole items, and says so', () => {
    const { text, notes } = shapeText({ select: 'items[].id', maxBytes: 6 }, reply);
    expect(text).toBe('[1,2]');
    expect(notes).toEqual([expect.stringContaining('the first 2 of 3 items')]);
    const inside = shapeText({ maxBytes: 90 }, reply);
    expect(JSON.parse(inside.text)).toMatchObject({ total: 3, items: [{ id: 1 }] });
    expect(inside.notes[0]).toContain('of "items"');
  });

  test('shows text that is not JSON as it came, cut at a word', () => {
    expect(shapeText({ select: 'a' }, 'plain words')).toEqual({
      text: 'plain words',
      notes: [expect.stringContaining('not JSON')],
    });
    expect(shapeText({ maxBytes: 9 }, 'one two three').text).toBe('one two');
  });

  test('never exceeds its bytes nor breaks a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 1, max: 300 }),
        (text, maxBytes) => {
          const cut = shapeText({ maxBytes }, text).text;
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
          expect(cut.isWellFormed()).toBe(text.isWellFormed() || cut.isWellFormed());
        },
      ),
    );
  });

  test('keeps a cut JSON list valid JSON', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.integer({ min: 2, max: 200 }),
        (list, maxBytes) => {
          const { text, notes } = shapeText({ maxBytes }, JSON.stringify(list));
          const isCutBetweenItems = notes.some((note) => note.includes('items'));
          expect(isCutBetweenItems ? readable(text) : true).toBe(true);
        },
      ),
    );
  });
});
