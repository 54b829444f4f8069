import { createHmac, randomBytes } from 'node:crypto';

// RFC 6238 with the parameters that every authenticator app supports.
const stepMs = 30_000;
const digits = 6;
// Phones' clocks are a little off, and typing takes time.
const stepsAround = 1;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret of 160 bits, in base32 as people type it into an app. */
export function newTotpSecret(): string {
  const bytes = randomBytes(20);
  let secret = '';
  let bits = 0;
  let kept = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    kept += 8;
    while (kept >= 5) {
      kept -= 5;
      secret += alphabet[(bits >> kept) & 31]!;
    }
  }
  return secret;
}

/** What an app reads from a QR code. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/** The time step that a code belongs to, if it is after `lastStep`; null if the code is wrong or was used. */
export function stepOfCode(secret: string, code: string, nowMs: number, lastStep: number): number | null {
  const plain = code.replaceAll(/[\s-]/g, '');
  if (!/^\d{6}$/.test(plain)) return null;
  const key = bytesOf(secret);
  const current = Math.floor(nowMs / stepMs);
  let found: number | null = null;
  // Every step is compared, so that the time taken says nothing.
  for (let step = current - stepsAround; step <= current + stepsAround; step++)
    if (codeAt(key, step) === plain && step > lastStep) found ??= step;
  return found;
}

/** The code of a secret at a time. */
export function totpCode(secret: string, nowMs: number): string {
  return codeAt(bytesOf(secret), Math.floor(nowMs / stepMs));
}

function codeAt(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.max(0, step)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = mac.at(-1)! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

function bytesOf(secret: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let kept = 0;
  for (const letter of secret) {
    bits = ((bits << 5) | alphabet.indexOf(letter)) & 0xfff;
    kept += 5;
    if (kept >= 8) {
      kept -= 8;
      bytes.push((bits >> kept) & 0xff);
    }
  }
  return Buffer.from(bytes);
}
