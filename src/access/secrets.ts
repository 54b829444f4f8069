import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret: shown once, only its hash is stored. */
export interface NewSecret {
  readonly value: string;
  readonly hash: string;
  /** Its first characters, to tell secrets apart. */
  readonly hint: string;
}

/** Creates a secret of 256 random bits with a prefix that scanners and people recognize. */
export function newSecret(prefix: string): NewSecret {
  const value = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { value, hash: hashSecret(value), hint: value.slice(0, prefix.length + 4) };
}

/** SHA-256 in hex. The secrets are random, so nothing slower is needed. */
export function hashSecret(value: string): string {
  return hash('sha256', value);
}

/** Compares hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
