import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { maskNamedSecrets } from './mask-secrets.ts';
import { maskedJson } from './masked-json.ts';

describe('maskedJson', () => {
  it('writes what JSON.stringify writes of a masked copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = { value, password: 'p', list: [{ 'X-Api-Key': 1, token: null, secret: '' }] };
        expect(maskedJson(secret, 1_000_000)).toBe(JSON.stringify(maskNamedSecrets(secret)));
      }),
    );
  });

  it.each([
    ['a long text', 'x'.repeat(1_000_000)],
    ['a long name', { ['x'.repeat(1_000_000)]: 1 }],
    ['many elements', Array.from({ length: 1_000_000 }, () => [])],
    ['many members', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`n${i}`, i]))],
  ])('ends soon after the most that is wanted of %s', (_what, value) => {
    const text = maskedJson(value, 1_000);
    expect(text.length).toBeGreaterThanOrEqual(1_000);
    expect(text.length).toBeLessThan(2_100);
    expect(JSON.stringify(value).slice(0, 1_000)).toBe(text.slice(0, 1_000));
  });
});
