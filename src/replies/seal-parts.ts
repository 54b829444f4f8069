import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { mask } from '../lib/secrets/mask-secrets.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const flagBytes = 1;
const tagBytes = 16;
const secretBytes = 16;

/** The size of one part: a driver holds several times as much, on each of its connections. */
export const partBytes = 256 * 1024;

/** The prefix of a handle, which says where its content came from. */
export type HandleKind = 'reply' | 'upload';

const shape = /^(?:reply|upload)_([\w-]{22})$/;

/** A new handle: 128 random bits, from which its content's key is derived. */
export function newHandle(kind: HandleKind = 'reply'): string {
  return handleOf(kind, randomBytes(secretBytes));
}

/** The handle for a secret. */
export function handleOf(kind: HandleKind, secret: Buffer): string {
  return `${kind}_${secret.toString('base64url')}`;
}

/** Whether a text looks like a handle, complete or not. */
export function mayBeHandle(text: string): boolean {
  return /^(?:reply|upload)_[\w-]{0,100}$/.test(text);
}

/** A text without the secret part of the handles in it: with a handle, a record would open what was kept. */
export function maskHandles(text: string): string {
  return text.replaceAll(/\b(reply|upload)_[\w-]{22}(?![\w-])/g, `$1_${mask}`);
}

/** The bits of a handle; null for a text that cannot be one. */
export function secretOf(handle: string): Buffer | null {
  const written = shape.exec(handle)?.[1];
  if (written === undefined) return null;
  const secret = Buffer.from(written, 'base64url');
  return secret.length === secretBytes && secret.toString('base64url') === written ? secret : null;
}

/** Seals and opens what is kept under one handle. */
export interface Seal {
  /** The ID of the reply in the store: the handle can't be derived from it. */
  readonly id: string;
  /** `packs` says whether it is worth compressing. */
  close(part: string, content: Buffer, packs?: boolean): Promise<Buffer>;
  /** Null if it was changed, moved, or sealed under another handle. */
  open(part: string, sealed: Buffer): Promise<Buffer | null>;
}

/** The seal for a handle; null for text that can't be one. */
export function sealOf(handle: string): Seal | null {
  const secret = secretOf(handle);
  if (secret === null) return null;
  const id = createHash('sha256').update('handrail reply id\n').update(secret).digest('base64url');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'handrail reply key', 32));
  const aadOf = (part: string) => Buffer.from(`${id}/${part}`);
  return {
    id,
    async close(part, content, packs = true) {
      const packed = packs ? await deflate(content, { level: 1 }) : content;
      const isSmaller = packed.length < content.length;
      const plain = isSmaller ? packed : content;
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(aadOf(part));
      // Sealed in place: the content may be a whole file, and each copy would be garbage.
      const sealed = Buffer.allocUnsafeSlow(ivBytes + flagBytes + plain.length + tagBytes);
      iv.copy(sealed);
      cipher.update(Buffer.from([isSmaller ? 1 : 0])).copy(sealed, ivBytes);
      for (let at = 0; at < plain.length; at += sliceBytes)
        cipher.update(plain.subarray(at, at + sliceBytes)).copy(sealed, ivBytes + flagBytes + at);
      cipher.final();
      cipher.getAuthTag().copy(sealed, ivBytes + flagBytes + plain.length);
      return sealed;
    },
    async open(part, sealed) {
      let plain: Buffer;
      try {
        const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(aadOf(part))
          .setAuthTag(sealed.subarray(-tagBytes));
        plain = decipher.update(sealed.subarray(ivBytes, -tagBytes));
        decipher.final();
      } catch {
        // The cipher only reports that it isn't what was sealed.
        return null;
      }
      return plain[0] === 1 ? inflate(plain.subarray(1)) : plain.subarray(1);
    },
  };
}

const sliceBytes = 64 * 1024;
