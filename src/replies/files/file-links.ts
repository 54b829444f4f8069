import { createHmac, timingSafeEqual } from 'node:crypto';
import { handleOf, secretOf } from '../seal-parts.ts';

/** What an address is good for. */
export type LinkPurpose = 'download' | 'upload';

/** An address that carries the right to one file, for a while. */
export interface FileLink {
  readonly url: string;
  readonly untilMs: number;
}

/** The same for whoever knows how to reach this gateway: what stands behind its address. */
export interface FilePath {
  readonly path: string;
  readonly untilMs: number;
}

/** Makes and reads the addresses of files. */
export interface FileLinks {
  /** Whether somebody could reach an address of this gateway. */
  areReachable(): boolean;
  /** Null where nobody could reach an address of this gateway. */
  make(purpose: LinkPurpose, handle: string, endsAtMs: number): FileLink | null;
  /** Null for a text that is no handle. */
  path(purpose: LinkPurpose, handle: string, endsAtMs: number): FilePath | null;
  /** The handle that a token stands for; null for one that we did not make, or not for this, or whose time is over. */
  read(purpose: LinkPurpose, token: string): string | null;
}

const paths: Readonly<Record<LinkPurpose, string>> = { download: '/files', upload: '/uploads' };

// The secret of a handle, seconds until which the address is good, and a signature over both.
const secretBytes = 16;
const timeBytes = 6;
const signatureBytes = 16;
const tokenBytes = secretBytes + timeBytes + signatureBytes;

/** `base` is where clients reach this gateway, null when it does not listen. */
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
