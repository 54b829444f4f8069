import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that was just made: shown once, only its hash is kept. */
export interface NewSecret {
  readonly value: string;
  readonly hash: string;
  /** Enough of its beginning to tell secrets apart. */
  readonly hint: string;
}

/** Makes a secret of 256 random bits with a prefix that scanners and people recognize. */
export function newSecret(prefix: string): NewSecret {
  const value = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { value, hash: hashSecret(value), hint: value.slice(0, prefix.length + 4) };
}

/** SHA-256 in hex. The secrets are random, so nothing slower is needed. */
export function hashSecret(value: string): string {
  return hash('sha256', value);
}

/** Compares hashes without telling by its time where they differ. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
