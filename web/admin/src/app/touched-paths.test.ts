import { expect, test } from 'vitest';
import { pathsTouchedBy } from './touched-paths.ts';

test('refetches what shows the changed item, and the audit log', () => {
  expect(pathsTouchedBy('{"seq":2,"changes":[{"kind":"key","id":"key_1","op":"put"}]}')).toEqual([
    '/keys',
    '/overview',
    '/audit',
    '/set-aside',
  ]);
});

test('refetches everything when the event does not say what changed', () => {
  expect(pathsTouchedBy('{"seq":2,"changes":[]}')).toContain('/tools');
  expect(pathsTouchedBy('nonsense')).toContain('/servers');
});
