import { expect, test } from 'vitest';
import { pageAt, pathOf } from './page-table.ts';

test('finds the page of a URL before rendering', () => {
  expect(
    [
      '/admin',
      '/admin/',
      '/admin/tools',
      '/admin/tools/tool_1',
      '/admin/apis/a%20b',
      '/admin/apis/demo/new-tool',
      '/admin/people',
      '/admin/nowhere',
      '/admin/tools/%E0%A4',
    ].map((pathname) => pageAt(pathOf({ pathname }))),
  ).toEqual([
    { name: 'home', subject: '' },
    { name: 'home', subject: '' },
    { name: 'tools', subject: '' },
    { name: 'tool', subject: 'tool_1' },
    { name: 'api', subject: 'a b' },
    { name: 'newTool', subject: 'demo' },
    { name: 'people', subject: '' },
    null,
    null,
  ]);
});
