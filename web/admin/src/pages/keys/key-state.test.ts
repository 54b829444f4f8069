import { expect, test } from 'vitest';
import { keyState } from './key-state.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');

test('a revoked key is revoked whatever else it is', () => {
  expect(keyState({ revokedAt: '2026-04-01T00:00:00Z', expiresAt: '2027-01-01T00:00:00Z' }, nowMs)).toBe(
    'revoked',
  );
});

test('a key that expires within a week is marked', () => {
  expect(keyState({}, nowMs)).toBe('active');
  expect(keyState({ expiresAt: '2026-06-01T00:00:00Z' }, nowMs)).toBe('active');
  expect(keyState({ expiresAt: '2026-05-03T00:00:00Z' }, nowMs)).toBe('ending');
  expect(keyState({ expiresAt: '2026-05-01T12:00:00Z' }, nowMs)).toBe('expired');
});
