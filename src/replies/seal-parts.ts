import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const prefix = 'reply_';
const secretBytes = 16;

/** A new handle: 128 random bits, which are also what its reply is sealed with. */
export function newHandle(): string {
  return `${prefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/** Opens and closes what is kept under one handle. */
export interface Seal {
  /** What the store knows the reply by: nobody can tell the handle from it. */
  readonly id: string;
  close(part: string, content: Buffer): Promise<Buffer>;
  /** Null when it was changed, moved, or sealed under another handle. */
  open(part: string, sealed: Buffer): Promise<Buffer | null>;
}

/** The seal of a handle; null for a text that cannot be one. */
export function sealOf(handle: string): Seal | null {
  if (!handle.startsWith(prefix)) return null;
  const secret = Buffer.from(handle.slice(prefix.length), 'base64url');
  if (secret.length !== secretBytes || secret.toString('base64url') !== handle.slice(prefix.length))
    return null;
  const id = createHash('sha256').update('handrail reply id\n').update(secret).digest('base64url');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'handrail reply key', 32));
  const aadOf = (part: string) => Buffer.from(`${id}/${part}`);
  return {
    id,
    async close(part, content) {
      const packed = await deflate(content, { level: 1 });
      const isSmaller = packed.length < content.length;
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(aadOf(part));
      const flag = Buffer.from([isSmaller ? 1 : 0]);
      return Buffer.concat([
        iv,
        cipher.update(flag),
        cipher.update(isSmaller ? packed : content),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    async open(part, sealed) {
      let plain: Buffer;
      try {
        const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(aadOf(part))
          .setAuthTag(sealed.subarray(-tagBytes));
        plain = Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]);
      } catch {
        // The cipher says only that it is not what was sealed.
        return null;
      }
      return plain[0] === 1 ? inflate(plain.subarray(1)) : plain.subarray(1);
    },
  };
}
