import { describe, expect, it } from 'vitest';
import { WorkBudget } from '../lib/work-budget.ts';
import { readSelect } from '../lib/json/select/select-part.ts';
import { outlineReply } from './outline-reply.ts';
import { suggestFields } from './suggest-fields.ts';

const rows = Array.from({ length: 5 }, (_, n) => ({
  id: n,
  'full-text': 'words '.repeat(100),
  title: `Thing ${n}`,
  status: 'open',
  owner: { id: 7, login: 'ada' },
  labels: ['a', 'b'],
}));

describe('which fields of a long reply would do', () => {
  it.each([
    ['a list', rows, '[].{id: id, title: title, status: status}'],
    ['a list in an object', { total: 5, items: rows }, 'items[].{id: id, title: title, status: status}'],
    [
      'a list that is wrapped twice, beside one of words',
      { tags: ['a', 'b', 'c', 'd', 'e', 'f'], 'the-data': { page: { items: rows, more: ['x'] } } },
      '"the-data".page.items[].{id: id, title: title, status: status}',
    ],
    [
      'a list at the top before a longer one below',
      { meta: { columns: Array.from({ length: 9 }, (_, id) => ({ id })) }, items: rows },
      'items[].{id: id, title: title, status: status}',
    ],
    [
      'names that are no identifiers',
      { 'all of them': rows.map(({ id }) => ({ 'item-id': id, 'the-name': 'x', body: 'y'.repeat(200) })) },
      '"all of them"[].{"item-id": "item-id", "the-name": "the-name"}',
    ],
  ])('is told from its records: %s', (_what, preview, select) => {
    const suggestion = suggestFields(outlineReply(preview, 500)!)!;
    expect(suggestion.select).toBe(select);
    const whole = JSON.stringify(preview).length;
    const left = JSON.stringify(
      readSelect(select)(preview, new WorkBudget({ steps: 10_000, bytes: 1_000_000 })),
    ).length;
    expect(suggestion.saved).toBeGreaterThan(0.5);
    expect(Math.abs(1 - left / whole - suggestion.saved)).toBeLessThan(0.15);
  });

  it.each([
    ['no list', { text: 'words' }],
    ['a list of numbers', [1, 2, 3]],
    ['records that nothing tells apart', [{ a: 'x'.repeat(100) }]],
    ['records that are little more', [{ id: 1, name: 'a' }]],
    ['a text', 'words'],
  ])('is not told of %s', (_what, preview) => {
    const outline = outlineReply(preview, 3);
    expect(outline === null ? null : suggestFields(outline)).toBeNull();
  });
});
