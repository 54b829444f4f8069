import { expect, test } from 'vitest';
import { urlFor } from './url-for.ts';

test('fills path parameters, encoded', () => {
  expect(urlFor('/tools/:tool/call', { tool: 'a/b c' })).toBe('/tools/a%2Fb%20c/call');
});

test('leaves out empty query values and keeps false and zero', () => {
  expect(urlFor('/tools', {}, { search: '', api: undefined, enabled: false, limit: 0 })).toBe(
    '/tools?enabled=false&limit=0',
  );
});
