import { expect, test } from 'vitest';
import { pageAt } from './page-files.ts';

test('knows the page of an address before anything is drawn', () => {
  expect(
    [
      '/admin',
      '/admin/',
      '/admin/tools',
      '/admin/tools/tool_1',
      '/admin/apis/demo/new-tool',
      '/admin/nowhere',
    ].map(pageAt),
  ).toEqual(['home', 'home', 'tools', 'tool', 'newTool', null]);
});
