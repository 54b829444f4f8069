import { describe, expect, it } from 'vitest';
import { createMaskText, isSecretName, mask, maskNamedSecrets, maskQuery } from './mask-secrets.ts';
import fc from '../../../test/support/property.ts';

describe('isSecretName', () => {
  it.each([
    'password',
    'X-Api-Key',
    'apiKey',
    'api_key',
    'APIKey',
    'client_secret',
    'clientSecret',
    'Authorization',
    'refresh_token',
    'accessToken',
    'Set-Cookie',
    'aws_secret_access_key',
    'Ocp-Apim-Subscription-Key',
    'privateKey',
    'auth',
  ])('masks %s', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'author',
    'keyboard',
    'monkey',
    'key',
    'max_tokens',
    'total_tokens',
    'authored_by',
    'passenger',
    'token_type',
    'next_page_token',
    'tokenize',
    'secretary',
    'keynote',
    'primary_key',
    'compassword',
  ])('keeps %s', (name) => expect(isSecretName(name)).toBe(false));
});

describe('maskNamedSecrets', () => {
  it('masks at any depth and leaves the rest as it was', () => {
    const value = {
      author: 'Ann',
      list: [{ password: 'x', n: 1 }],
      headers: { 'x-api-key': 'k' },
      token: null,
    };
    expect(maskNamedSecrets(value)).toEqual({
      author: 'Ann',
      list: [{ password: mask, n: 1 }],
      headers: { 'x-api-key': mask },
      token: null,
    });
    expect(value.list[0]!.password).toBe('x');
  });

  it('keeps a __proto__ key harmless', () => {
    const masked = maskNamedSecrets(JSON.parse('{"__proto__":{"password":"x"}}')) as object;
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
    expect(JSON.stringify(masked)).toBe(`{"__proto__":{"password":"${mask}"}}`);
  });
});

describe('maskQuery', () => {
  it('masks values by the parameter name', () => {
    expect(maskQuery('/x?api_key=abc&author=ann&x%2Dapi-key=1')).toBe(
      `/x?api_key=${mask}&author=ann&x%2Dapi-key=${mask}`,
    );
  });
});

describe('createMaskText', () => {
  it.each([4_000, 20_000, 1_000_000])(
    'masks a secret of %i characters, alone and beside a short one',
    (length) => {
      const secret = 'k/'.padEnd(length, 'ab+');
      const shown = (text: string) =>
        `${text} ${encodeURIComponent(text)} ${Buffer.from(text).toString('base64')} short-one`;
      expect(createMaskText([secret])(shown(secret))).not.toContain(secret.slice(0, 200));
      const masked = createMaskText(['short-one', secret])(shown(secret));
      expect(masked.length).toBeLessThan(100);
      expect(masked).not.toContain('short-one');
    },
  );

  it('leaves no form of a secret behind, whatever surrounds it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          fc.pre(!mask.includes(secret));
          const maskText = createMaskText([secret]);
          const base64 = Buffer.from(`${before}${secret}${after}`).toString('base64');
          for (const form of [
            secret,
            encodeURIComponent(secret),
            JSON.stringify(secret),
            Buffer.from(secret).toString('hex'),
          ]) {
            expect(maskText(`${before}${form}${after}`)).toContain(mask);
          }
          expect(maskText(base64)).toContain(mask);
          expect(maskText(secret)).not.toContain(secret);
        },
      ),
    );
  });

  it('masks the password inside Basic authentication', () => {
    const header = `Basic ${Buffer.from('user:correct-horse').toString('base64')}`;
    const masked = createMaskText(['correct-horse'])(header);
    expect(masked).toContain(mask);
    expect(Buffer.from(masked.replace('Basic ', '').replace(mask, ''), 'base64').toString()).not.toContain(
      'correct',
    );
  });

  it('leaves ordinary text alone', () => {
    expect(createMaskText(['abc', ''])('abc and more')).toBe('abc and more');
    expect(createMaskText([])('x')).toBe('x');
  });
});
