import { describe, expect, it } from 'vitest';
import { hashSecret, newSecret, sameHash } from './secrets.ts';

describe('a new secret', () => {
  it.each(['hrk_', 'hra_', 'hrs_', 'hrinvite_'])('begins with %s and has 256 random bits', (prefix) => {
    const { value, hash, hint } = newSecret(prefix);
    expect(value.startsWith(prefix)).toBe(true);
    expect(Buffer.from(value.slice(prefix.length), 'base64url')).toHaveLength(32);
    expect(hint).toBe(value.slice(0, prefix.length + 4));
    expect(hash).toBe(hashSecret(value));
    expect(hash).not.toContain(value.slice(prefix.length));
  });

  it('is never the same twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newSecret('x_').value)).size).toBe(1_000);
  });
});

it('hashes as SHA-256 does', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it.each([
  [hashSecret('a'), hashSecret('a'), true],
  [hashSecret('a'), hashSecret('b'), false],
  [hashSecret('a'), hashSecret('a').slice(1), false],
  ['', hashSecret('a'), false],
  ['', '', true],
])('compares %s with %s: %s', (a, b, same) => {
  expect(sameHash(a, b)).toBe(same);
});
