import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { credentialErrors } from '../domain/error-messages/credentials.ts';
import type { HandrailError } from '../domain/errors.ts';

/** A key that secrets are sealed (encrypted) with. */
export interface MasterKey {
  /** Identifies the key without revealing anything about it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The available master keys: one to seal with, and those that older rows were sealed with. */
export interface KeyRing {
  /** The key for new secrets; if there is none, throws an error that says what to do. */
  current(): MasterKey;
  find(id: string): MasterKey | null;
}

/** Secret values by field name. */
export type SecretFields = Readonly<Record<string, string>>;

/** What a sealed text belongs to. A text moved to another row cannot be opened. */
export interface RowIdentity {
  readonly id: string;
  readonly apiId: string;
  readonly callerId?: string;
  readonly origins: readonly string[];
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const keyIdBytes = 8;

/** Creates a master key from 32 bytes. */
export function masterKey(bytes: Buffer): MasterKey {
  const id = createHash('sha256').update('handrail key id\n').update(bytes).digest('hex').slice(0, 16);
  return { id, bytes };
}

/** Seals secret fields for one row: `v1.<key id>.<iv>.<ciphertext and tag>`. */
export function seal(ring: KeyRing, row: RowIdentity, fields: SecretFields): string {
  const key = ring.current();
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key.bytes, iv).setAAD(aadOf(key.id, row));
  const sealed = Buffer.concat([
    cipher.update(JSON.stringify(fields), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `v1.${key.id}.${iv.toString('base64url')}.${sealed.toString('base64url')}`;
}

/** Opens what `seal` made for the same row; `credential_unreadable` if the key is unavailable or the text was changed. */
export function unseal(ring: KeyRing, row: RowIdentity, text: string): SecretFields {
  const [version, keyId, iv, sealed] = text.split('.');
  if (version !== 'v1' || keyId === undefined || iv === undefined || sealed === undefined) {
    throw unreadableError('is in a format that this version of Handrail does not know');
  }
  const key = ring.find(keyId);
  if (key === null) {
    throw unreadableError(
      `was encrypted with the master key ${keyId}, which is not available: restore that key (HANDRAIL_SECRET_KEY or the file secret.key), or enter the secret again`,
    );
  }
  try {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(algorithm, key.bytes, Buffer.from(iv, 'base64url'), {
      authTagLength: tagBytes,
    })
      .setAAD(aadOf(keyId, row))
      .setAuthTag(bytes.subarray(-tagBytes));
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- authenticated: only `seal` can have written it
    return JSON.parse(plain.toString('utf8')) as SecretFields;
  } catch (cause) {
    throw unreadableError('was corrupted or belongs to another credential: enter the secret again', cause);
  }
}

/** The id of the key that a text was sealed with. */
export function sealedWith(text: string): string {
  return text.split('.', 2)[1] ?? '';
}

function aadOf(keyId: string, row: RowIdentity): Buffer {
  return Buffer.from(
    JSON.stringify(['handrail credential', keyId, row.id, row.apiId, row.callerId ?? null, row.origins]),
    'utf8',
  );
}

function unreadableError(why: string, cause?: unknown): HandrailError {
  return credentialErrors.unreadable({ reason: why }, {}, { cause });
}

/** Seals single texts that belong to no API, each bound to its place; null for a text that can't be opened. */
export function createSealing(ring: KeyRing) {
  const rowOf = (place: string): RowIdentity => ({ id: place, apiId: '', origins: [] });
  return {
    seal: (place: string, plain: string): string => seal(ring, rowOf(place), { value: plain }),
    open(place: string, sealed: string): string | null {
      try {
        return unseal(ring, rowOf(place), sealed)['value'] ?? null;
      } catch {
        return null;
      }
    },
    isCurrent: (sealed: string): boolean => sealedWith(sealed) === ring.current().id,
  };
}

/** Seals bytes that belong to no API, each bound to its place; null for bytes that can't be opened. */
export function createByteSealing(ring: KeyRing) {
  const placeAad = (keyId: string, place: string) =>
    Buffer.from(JSON.stringify(['handrail bytes', keyId, place]), 'utf8');
  return {
    /** The key's id, the IV, the ciphertext and the tag. */
    seal(place: string, plain: Uint8Array): Buffer {
      const key = ring.current();
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key.bytes, iv).setAAD(placeAad(key.id, place));
      return Buffer.concat([
        Buffer.from(key.id, 'hex'),
        iv,
        cipher.update(plain),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    open(place: string, sealed: Buffer): Buffer | null {
      const keyId = sealed.subarray(0, keyIdBytes).toString('hex');
      const key = ring.find(keyId);
      if (key === null) return null;
      try {
        const decipher = createDecipheriv(
          algorithm,
          key.bytes,
          sealed.subarray(keyIdBytes, keyIdBytes + ivBytes),
          { authTagLength: tagBytes },
        )
          .setAAD(placeAad(keyId, place))
          .setAuthTag(sealed.subarray(-tagBytes));
        return Buffer.concat([
          decipher.update(sealed.subarray(keyIdBytes + ivBytes, -tagBytes)),
          decipher.final(),
        ]);
      } catch {
        // The cipher only reports that it isn't what was sealed.
        return null;
      }
    },
  };
}
