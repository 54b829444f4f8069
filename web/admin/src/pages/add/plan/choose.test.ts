import { expect, test } from 'vitest';
import type { ReportLine } from '../../../api/resources.ts';
import { filterReport, ruleOf, type PlanFilter } from './choose.ts';

const line = (operation: string, tool: string, tags: string[] = [], note?: string): ReportLine => ({
  operation,
  tool,
  tags,
  fidelity: note === undefined ? 'exact' : 'noted',
  selected: true,
  at: '',
  notes: note === undefined ? [] : [{ code: 'x', message: note }],
});
const report = [
  line('GET /pets', 'list_pets', ['pets']),
  line('POST /pets', 'add_pet', ['pets'], 'The file is sent by handle'),
  line('GET /users/{id}', 'get_user', ['people']),
];
const none: PlanFilter = { search: '', method: null, tag: null, fidelity: null };
const shown = (filter: Partial<PlanFilter>) =>
  filterReport(report, { ...none, ...filter }).map(({ tool }) => tool);

test('finds words in operations, names, tags and notes', () => {
  expect(shown({ search: 'handle' })).toEqual(['add_pet']);
  expect(shown({ search: 'get people' })).toEqual(['get_user']);
});

test('finds by tag, method, path and name, with a star for anything', () => {
  expect(shown({ search: 'path:/pets*' })).toEqual(['list_pets', 'add_pet']);
  expect(shown({ search: 'name:*_user name:list*' })).toEqual(['list_pets', 'get_user']);
  expect(shown({ search: 'method:get tag:Pets' })).toEqual(['list_pets']);
  expect(shown({ tag: 'pets', method: 'POST' })).toEqual(['add_pet']);
});

test('what was filtered by is a rule for later, unless words or fidelity decided', () => {
  expect(ruleOf({ ...none, tag: 'pets', search: 'path:/pets*' })).toEqual({
    tags: ['pets'],
    paths: ['/pets*'],
  });
  expect(ruleOf({ ...none, tag: 'pets', search: 'cat' })).toBeNull();
  expect(ruleOf({ ...none, fidelity: 'exact' })).toBeNull();
  expect(ruleOf(none)).toBeNull();
});
