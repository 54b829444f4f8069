import { describe, expect, it } from 'vitest';
import { newTotpSecret, stepOfCode, totpCode, totpUri } from './totp.ts';

// RFC 6238, appendix B: the secret "12345678901234567890" in base32, and the last six digits of its values.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of an authenticator app', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(totpCode(secret, seconds * 1000)).toBe(code);
    expect(stepOfCode(secret, code, seconds * 1000, 0)).toBe(Math.floor(seconds / 30));
  });

  it('are accepted one step early or late, and never twice', () => {
    const nowMs = 1_234_567_890_000;
    const code = totpCode(secret, nowMs);
    const step = Math.floor(nowMs / 30_000);
    expect(stepOfCode(secret, code, nowMs - 30_000, 0)).toBe(step);
    expect(stepOfCode(secret, code, nowMs + 30_000, 0)).toBe(step);
    expect(stepOfCode(secret, code, nowMs + 60_000, 0)).toBeNull();
    expect(stepOfCode(secret, code, nowMs - 60_000, 0)).toBeNull();
    expect(stepOfCode(secret, code, nowMs, step)).toBeNull();
    expect(stepOfCode(secret, code, nowMs, step - 1)).toBe(step);
  });

  it.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '000000'])('are not %j', (code) => {
    expect(stepOfCode(secret, code, 1_234_567_890_000, 0)).toBeNull();
  });

  it('may be typed with a space, and come from a secret of 160 bits', () => {
    const made = newTotpSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(made);
    const code = totpCode(made, 1_000_000_000);
    expect(stepOfCode(made, `${code.slice(0, 3)} ${code.slice(3)}`, 1_000_000_000, 0)).not.toBeNull();
    expect(totpUri(made, { issuer: 'Handrail', account: 'Ann Lee' })).toBe(
      `otpauth://totp/Handrail:Ann%20Lee?secret=${made}&issuer=Handrail`,
    );
  });
});
