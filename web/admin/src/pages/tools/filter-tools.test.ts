import { expect, test } from 'vitest';
import type { ToolLine } from '../../api/resources.ts';
import { filterTools, keepPlaces, valuesOf } from './filter-tools.ts';

const line = (over: Partial<ToolLine>): ToolLine => ({
  id: 'tool_1',
  name: 'list_pets',
  summary: 'Lists the pets of a store',
  api: 'petstore',
  method: 'GET',
  kind: 'read',
  path: '/pets',
  tags: ['pets'],
  enabled: true,
  deprecated: false,
  pendingChange: false,
  estimatedTokens: 10,
  ...over,
});
const none = { search: '', api: null, tag: null, method: null, state: null };

test('finds every typed word anywhere in the line', () => {
  expect(filterTools([line({})], { ...none, search: 'store pets GETnot' })).toEqual([]);
  expect(filterTools([line({})], { ...none, search: 'STORE list' })).toHaveLength(1);
});

test('filters by tag, method and state together', () => {
  const tools = [line({}), line({ method: 'POST', enabled: false }), line({ tags: [], pendingChange: true })];
  expect(filterTools(tools, { ...none, tag: 'pets', method: 'POST', state: 'disabled' })).toEqual([tools[1]]);
  expect(filterTools(tools, { ...none, state: 'pending' })).toEqual([tools[2]]);
});

test('puts search results first, then tools that contain the words', () => {
  const tools = [
    line({ id: 'a', name: 'pet_orders' }),
    line({ id: 'b', name: 'cancel', summary: 'Undoes it', path: '/x' }),
    line({ id: 'c', name: 'other', summary: '', path: '/y' }),
  ];
  const ids = (found: string[], search = 'orders') =>
    filterTools(tools, { ...none, search }, found).map(({ id }) => id);
  expect([ids([]), ids(['b', 'gone']), ids(['b'], '')]).toEqual([['a'], ['b', 'a'], ['a', 'b', 'c']]);
  expect(filterTools(tools, { ...none, search: 'orders', api: 'other' }, ['b'])).toEqual([]);
});

test('lists values by how often they occur', () => {
  expect(valuesOf(['b', 'a', 'b', 'c'])).toEqual(['b', 'a', 'c']);
});

test('a tool that is no longer found keeps its place, and new results follow', () => {
  const before = ['tool_1', 'tool_2', 'tool_3'];
  expect(keepPlaces(before, ['tool_3', 'tool_2'])).toEqual(before);
  expect(keepPlaces(before, ['tool_4', 'tool_1'])).toEqual([...before, 'tool_4']);
});
