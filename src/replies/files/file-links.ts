import { createHmac, timingSafeEqual } from 'node:crypto';
import { handleOf, secretOf } from '../seal-parts.ts';

/** What a link allows. */
export type LinkPurpose = 'download' | 'upload';

/** A URL that gives access to one file for a limited time. */
export interface FileLink {
  readonly url: string;
  readonly untilMs: number;
}

/** The same as a path, for callers that know how to reach this gateway. */
export interface FilePath {
  readonly path: string;
  readonly untilMs: number;
}

/** Creates and checks links to files. */
export interface FileLinks {
  /** Whether a link to this gateway could be reached by anyone. */
  areReachable(): boolean;
  /** Null if no one could reach a link to this gateway. */
  make(purpose: LinkPurpose, handle: string, endsAtMs: number): FileLink | null;
  /** Null for text that isn't a handle. */
  path(purpose: LinkPurpose, handle: string, endsAtMs: number): FilePath | null;
  /**
   * The handle that a token contains; null if we didn't create the token, created it for another purpose, or it
   * has expired.
   */
  read(purpose: LinkPurpose, token: string): string | null;
}

const paths: Readonly<Record<LinkPurpose, string>> = { download: '/files', upload: '/uploads' };

// The secret of a handle, the second when the link expires, and a signature over both.
const secretBytes = 16;
const timeBytes = 6;
const signatureBytes = 16;
const tokenBytes = secretBytes + timeBytes + signatureBytes;

/** `base` is where clients reach this gateway, or null if it doesn't listen. */
export function createFileLinks(options: {
  readonly key: Buffer;
  readonly lifeMs: number;
  readonly base: () => string | null;
  readonly now: () => number;
}): FileLinks {
  const { key, lifeMs, base, now } = options;

  const sign = (purpose: LinkPurpose, signed: Buffer): Buffer =>
    createHmac('sha256', key).update(`${purpose}\n`).update(signed).digest().subarray(0, signatureBytes);

  function path(purpose: LinkPurpose, handle: string, endsAtMs: number): FilePath | null {
    const secret = secretOf(handle);
    if (secret === null) return null;
    const untilSeconds = Math.floor(Math.min(endsAtMs, now() + lifeMs) / 1_000);
    const signed = Buffer.alloc(secretBytes + timeBytes);
    secret.copy(signed);
    signed.writeUIntBE(untilSeconds, secretBytes, timeBytes);
    const token = Buffer.concat([signed, sign(purpose, signed)]).toString('base64url');
    return { path: `${paths[purpose]}/${token}`, untilMs: untilSeconds * 1_000 };
  }

  return {
    areReachable: () => base() !== null,
    path,

    make(purpose, handle, endsAtMs) {
      const at = base();
      const made = at === null ? null : path(purpose, handle, endsAtMs);
      return made && { url: `${at}${made.path}`, untilMs: made.untilMs };
    },

    read(purpose, token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) return null;
      const signed = bytes.subarray(0, secretBytes + timeBytes);
      if (!timingSafeEqual(sign(purpose, signed), bytes.subarray(signed.length))) return null;
      if (signed.readUIntBE(secretBytes, timeBytes) * 1_000 <= now()) return null;
      return handleOf(purpose === 'upload' ? 'upload' : 'reply', signed.subarray(0, secretBytes));
    },
  };
}
