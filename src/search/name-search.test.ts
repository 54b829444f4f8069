import { describe, expect, it } from 'vitest';
import { searchNames } from './name-search.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const tools = named(
  'reorder_shelf',
  'list_order_items',
  'get_invoice',
  'listOrders',
  'orders_list_all',
  'list_orders_by_day',
  'delete_order',
);

function find(
  query: string,
  limit = 10,
  items = tools,
  allows: (item: { name: string }) => boolean = () => true,
) {
  const steps = searchNames(items, query, limit, allows);
  for (;;) {
    const step = steps.next();
    if (step.done) return { names: step.value.hits.map(({ name }) => name), total: step.value.total };
  }
}

describe('a search by name', () => {
  it('puts the name itself first, then what starts with it, then what has its words', () => {
    expect(find('list orders').names).toEqual([
      'listOrders',
      'list_orders_by_day',
      'list_order_items',
      'orders_list_all',
      'delete_order',
    ]);
  });

  it.each([
    ['another ending of a word', 'invoices', ['get_invoice']],
    ['the start of a name', 'delete_or', ['delete_order']],
    ['words that say little, where there are no others', 'by the', ['list_orders_by_day']],
    ['nothing by signs alone', '???', []],
    [
      'nothing by letters within a word',
      'order shelf reord',
      ['reorder_shelf', 'list_order_items', 'listOrders'],
    ],
  ])('finds %s', (_, query, expected) => {
    expect(find(query, 3).names).toEqual(expected);
  });

  it('shows at most as many as it should, of those that may be shown, and counts all of them', () => {
    expect(find('order', 2, tools, ({ name }) => name !== 'orders_list_all')).toEqual({
      names: ['list_order_items', 'listOrders'],
      total: 4,
    });
  });

  it('reports work for every name', () => {
    const steps = [
      ...searchNames(named(...Array.from({ length: 500 }, (_, n) => `tool_${n}`)), 'x', 5, () => true),
    ];
    expect(steps).toHaveLength(500);
    expect(Math.min(...steps)).toBeGreaterThan(0);
  });
});
