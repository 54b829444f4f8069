import { expect, test } from 'vitest';
import { addressOf } from './address.ts';

test('fills path parameters, encoded', () => {
  expect(addressOf('/tools/:tool/call', { tool: 'a/b c' })).toBe('/tools/a%2Fb%20c/call');
});

test('leaves out empty query values and keeps false and zero', () => {
  expect(addressOf('/tools', {}, { search: '', api: undefined, enabled: false, limit: 0 })).toBe(
    '/tools?enabled=false&limit=0',
  );
});
