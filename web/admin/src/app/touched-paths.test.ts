import { expect, test } from 'vitest';
import { pathsTouchedBy } from './touched-paths.ts';

test('reads again what shows the changed thing, and the audit log', () => {
  expect(pathsTouchedBy('{"seq":2,"changes":[{"kind":"key","id":"key_1","op":"put"}]}')).toEqual([
    '/keys',
    '/overview',
    '/audit',
    '/set-aside',
  ]);
});

test('reads everything again when the event does not say what changed', () => {
  expect(pathsTouchedBy('{"seq":2,"changes":[]}')).toContain('/tools');
  expect(pathsTouchedBy('nonsense')).toContain('/servers');
});
