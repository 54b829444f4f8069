import { choice, type Infer, integer, list, nullable, object, optional, text } from '../lib/schema/schema.ts';
import { idText, timeMs } from './fields/row-fields.ts';

/** A code from an app on a phone, a passkey, or a code on paper for when those are lost. */
export const factorKind = choice('totp', 'passkey', 'recovery');

export type FactorKind = Infer<typeof factorKind>;

/** The name that a person gives a factor, to tell two of them apart. */
export const factorName = text({ min: 1, max: 60, pattern: /\S/, wants: 'must not be blank' });

const base64Url = text({ min: 1, max: 4_000, pattern: /^[\w-]+$/ });

/** Something other than a password that a local person signs in with. */
export const secondFactor = object({
  id: idText,
  personId: idText,
  kind: factorKind,
  name: factorName,
  createdAtMs: timeMs,
  /** The secret of `totp`, sealed with the master key. */
  sealed: optional(text({ min: 1, max: 1_000 })),
  passkey: optional(
    object({
      credentialId: base64Url,
      publicKey: base64Url,
      counter: integer({ min: 0 }),
      transports: list(text({ max: 30 }), { max: 20 }),
    }),
  ),
});

export type SecondFactor = Infer<typeof secondFactor>;

/** A factor as it is stored, with what changes when it is used. */
export const storedFactor = object({
  factor: secondFactor,
  /** What it can be found by, hashed: a recovery code or the id of a passkey. */
  lookup: nullable(text({ max: 200 })),
  usedAtMs: nullable(timeMs),
  /** Only something newer is accepted: the time step of a code, or when the challenge for a passkey was made. */
  mark: integer({ min: 0 }),
});

export type StoredFactor = Infer<typeof storedFactor>;

/** How many authenticator apps and passkeys a person can have. */
export const maxFactors = 10;

/** How many recovery codes are made at once. */
export const recoveryCodeCount = 10;
