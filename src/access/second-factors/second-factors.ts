import { createHmac, randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/audit.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { newId } from '../../domain/ids.ts';
import type { Person } from '../../domain/person.ts';
import {
  type FactorKind,
  maxFactors,
  recoveryCodeCount,
  type SecondFactor,
  type StoredFactor,
} from '../../domain/second-factor.ts';
import { integer, object, text } from '../../lib/schema/schema.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { auditEntry } from '../../registry/audit-entries.ts';
import { missing } from '../../registry/rules/find-and-revise.ts';
import type { Store } from '../../storage/ports.ts';
import { hashSecret, sameHash } from '../secrets.ts';
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts';

/** Seals short texts with the master key, each bound to its place. */
export interface Sealing {
  seal(place: string, plain: string): string;
  /** Null if it can't be opened. */
  open(place: string, sealed: string): string | null;
  /** Whether it was sealed with the key that new texts are sealed with. */
  isCurrent(sealed: string): boolean;
}

/** What a browser is asked to sign, and the text that must come back with its answer. */
export interface PasskeyChallenge {
  readonly options: object;
  readonly challenge: string;
}

/** An answer to such a challenge. */
export interface PasskeyAnswer {
  readonly challenge: string;
  readonly response: object;
}

/** An authenticator app that isn't confirmed yet. */
export interface TotpDraft {
  readonly secret: string;
  readonly uri: string;
  /** Must come back with the first code. */
  readonly draft: string;
}

/** What a person has in addition to a password. */
export interface FactorState {
  readonly factors: readonly StoredFactor[];
  /** The kinds that can be used; empty if the password is enough. */
  readonly kinds: readonly FactorKind[];
  readonly recoveryCodesLeft: number;
}

/** Second factors of local people. */
export interface SecondFactors {
  stateOf(personId: string): Promise<FactorState>;
  /** Starts adding an app, or continues with a draft that is still valid. */
  draftTotp(person: Person, again?: string): Promise<TotpDraft>;
  /** Adds an app that shows the right code. The first factor comes with recovery codes, which are shown once. */
  addTotp(
    person: Person,
    actor: Actor,
    input: { readonly name: string; readonly draft: string; readonly code: string },
  ): Promise<{ readonly recoveryCodes: readonly string[] }>;
  passkeyToCreate(person: Person): Promise<PasskeyChallenge>;
  addPasskey(
    person: Person,
    actor: Actor,
    input: PasskeyAnswer & { readonly name: string },
  ): Promise<{ readonly recoveryCodes: readonly string[] }>;
  /** Replaces all recovery codes. */
  renewRecoveryCodes(person: Person, actor: Actor): Promise<readonly string[]>;
  remove(person: Person, actor: Actor, factorId: string): Promise<void>;
  /** Removes everything, for someone who lost it. */
  reset(person: Person, actor: Actor): Promise<void>;
  /** A challenge for the passkeys of one person, or for whichever the browser has. */
  passkeyToUse(personId: string | null): Promise<PasskeyChallenge>;
  /** Whether a code of an app, or a recovery code, is right; each is accepted once. */
  useCode(personId: string, code: string): Promise<'totp' | 'recovery' | null>;
  /** The person whose passkey answered; null if it doesn't fit. Alone it must have recognized its person. */
  usePasskey(answer: PasskeyAnswer, personId: string | null): Promise<string | null>;
  /** Seals every secret with the current master key; returns those that can't be opened. */
  reseal(): Promise<{ readonly resealed: number; readonly unreadable: readonly string[] }>;
}

const challengeMs = 10 * 60_000;
const draftMs = 30 * 60_000;
const pageOfFactors = 500;
const keyFact = 'second_factor_key';

const signedChallenge = object({
  use: text({ max: 20 }),
  personId: text({ max: 200 }),
  value: text({ max: 200 }),
  atMs: integer({ min: 0 }),
});

/** Creates the second factors of one process. */
export function createSecondFactors({
  store,
  sealing,
  publicUrl,
  now,
}: {
  readonly store: Pick<Store, 'factors' | 'audit' | 'meta'>;
  readonly sealing: Sealing;
  readonly publicUrl: () => string;
  readonly now: () => number;
}): SecondFactors {
  let key: Promise<Buffer> | null = null;
  // A large library that most gateways never need.
  const loadPasskeys = () => import('./passkeys.ts');

  function signingKey(): Promise<Buffer> {
    key ??= store.meta
      .setIfAbsent(keyFact, randomBytes(32).toString('base64'))
      .then((stored) => Buffer.from(stored, 'base64'))
      .catch((error: unknown) => {
        key = null;
        throw error;
      });
    return key;
  }

  // Kept by the browser instead of by us: a stranger who asks a million times fills nothing.
  async function sign(use: string, personId: string | null, value: string): Promise<string> {
    const content = Buffer.from(JSON.stringify({ use, personId: personId ?? '', value, atMs: now() }));
    const mac = createHmac('sha256', await signingKey())
      .update(content)
      .digest('base64url');
    return `${content.toString('base64url')}.${mac}`;
  }

  async function verify(signed: string, use: string, personId: string | null, maxAgeMs: number) {
    const [content = '', mac = ''] = signed.length > 2_000 ? [] : signed.split('.');
    const bytes = Buffer.from(content, 'base64url');
    const expected = createHmac('sha256', await signingKey())
      .update(bytes)
      .digest('base64url');
    if (!sameHash(mac, expected)) return null;
    const read = readJson(signedChallenge, bytes.toString('utf8'));
    if (read === null || read.use !== use || read.personId !== (personId ?? '')) return null;
    return read.atMs + maxAgeMs > now() && read.atMs <= now() ? read : null;
  }

  const note = (
    actor: Actor,
    action: string,
    person: Pick<Person, 'id' | 'name'>,
    after?: Readonly<Record<string, unknown>>,
  ) => {
    const entry = auditEntry(actor, now(), action, { kind: 'person', id: person.id, label: person.name });
    return store.audit.add([after === undefined ? entry : { ...entry, after: JSON.stringify(after) }]);
  };

  function factorOf(
    personId: string,
    kind: FactorKind,
    name: string,
    more: Partial<SecondFactor> = {},
  ): SecondFactor {
    const id = newId('factor', now());
    return { id, personId, kind, name, createdAtMs: now(), ...more };
  }

  function newRecoveryCodes(personId: string) {
    const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
    return {
      codes,
      rows: codes.map((code): StoredFactor => ({
        factor: factorOf(personId, 'recovery', 'recovery code'),
        lookup: recoveryLookup(personId, code),
        usedAtMs: null,
        mark: 0,
      })),
    };
  }

  async function add(person: Person, actor: Actor, added: StoredFactor) {
    const recovery = newRecoveryCodes(person.id);
    const result = await store.factors.add(added, maxFactors, recovery.rows);
    if (result === 'gone') missing('person', person.id);
    if (result === 'known') throw accessErrors.factorKnown();
    if (result === 'full') throw accessErrors.tooManyFactors({ max: maxFactors });
    const { kind, name } = added.factor;
    await note(actor, 'second_factor.add', person, { kind, name });
    return { recoveryCodes: result === 'added with codes' ? recovery.codes : [] };
  }

  async function stateOf(personId: string): Promise<FactorState> {
    const { factors, unreadable } = await store.factors.listOf(personId);
    const kinds = [...new Set(factors.map(({ factor }) => factor.kind))];
    return {
      factors: factors.filter(({ factor }) => factor.kind !== 'recovery'),
      kinds: unreadable > 0 && kinds.length === 0 ? ['recovery'] : kinds,
      recoveryCodesLeft: factors.filter(({ factor }) => factor.kind === 'recovery').length,
    };
  }

  const secretOf = (factor: SecondFactor): string | null =>
    factor.sealed === undefined ? null : sealing.open(placeOf(factor), factor.sealed);

  return {
    stateOf,

    async draftTotp(person, again) {
      const before = again === undefined ? null : await verify(again, 'totp', person.id, draftMs);
      const secret = before?.value ?? newTotpSecret();
      return {
        secret,
        uri: totpUri(secret, { issuer: 'Handrail', account: person.name }),
        draft: await sign('totp', person.id, secret),
      };
    },

    async addTotp(person, actor, { name, draft, code }) {
      const drafted = await verify(draft, 'totp', person.id, draftMs);
      if (drafted === null) throw accessErrors.factorSetUpExpired();
      const step = stepOfCode(drafted.value, code, now(), 0);
      if (step === null) throw accessErrors.codeWrong();
      const factor = factorOf(person.id, 'totp', name);
      const sealed = sealing.seal(placeOf(factor), drafted.value);
      // The code that confirmed it is used up.
      const lookup = hashSecret(`totp ${person.id} ${drafted.value}`);
      return add(person, actor, { factor: { ...factor, sealed }, lookup, usedAtMs: null, mark: step });
    },

    async passkeyToCreate(person) {
      const { factors } = await stateOf(person.id);
      const challenge = new Uint8Array(randomBytes(32));
      const { creationOptions } = await loadPasskeys();
      const options = await creationOptions({
        publicUrl: publicUrl(),
        personId: person.id,
        name: person.name,
        challenge,
        known: factors.flatMap(({ factor }) => factor.passkey ?? []),
      });
      return { options, challenge: await sign('create', person.id, textOf(challenge)) };
    },

    async addPasskey(person, actor, { name, challenge, response }) {
      const asked = await verify(challenge, 'create', person.id, challengeMs);
      if (asked === null) throw accessErrors.factorSetUpExpired();
      const { readCreated } = await loadPasskeys();
      const passkey = await readCreated(response, { publicUrl: publicUrl(), challenge: asked.value });
      if (passkey === null) throw accessErrors.passkeyNotAdded();
      const factor = factorOf(person.id, 'passkey', name, { passkey });
      const lookup = passkeyLookup(passkey.credentialId);
      // Passkeys belong to one person: their lookup is unique.
      if ((await store.factors.byLookup(lookup)) !== null) throw accessErrors.factorKnown();
      return add(person, actor, { factor, lookup, usedAtMs: null, mark: asked.atMs });
    },

    async renewRecoveryCodes(person, actor) {
      const { factors } = await stateOf(person.id);
      if (factors.length === 0) throw accessErrors.noFactorToRecover();
      const { codes, rows } = newRecoveryCodes(person.id);
      await store.factors.replaceRecovery(person.id, rows);
      await note(actor, 'second_factor.recovery_codes', person);
      return codes;
    },

    async remove(person, actor, factorId) {
      const { factors } = await stateOf(person.id);
      const found = factors.find(({ factor }) => factor.id === factorId);
      if (found === undefined || !(await store.factors.remove(person.id, factorId)))
        throw accessErrors.factorNotFound();
      const { kind, name } = found.factor;
      await note(actor, 'second_factor.remove', person, { kind, name });
    },

    async reset(person, actor) {
      await store.factors.removeAllOf(person.id);
      await note(actor, 'second_factor.reset', person);
    },

    async passkeyToUse(personId) {
      const known =
        personId === null
          ? null
          : (await stateOf(personId)).factors.flatMap(({ factor }) => factor.passkey ?? []);
      const value = randomBytes(32).toString('base64url');
      const options = {
        challenge: value,
        rpId: new URL(publicUrl()).hostname,
        allowCredentials: (known ?? []).map(({ credentialId, transports }) => ({
          id: credentialId,
          type: 'public-key',
          transports,
        })),
        // Alone it replaces the password, so the device must have recognized its person.
        userVerification: known === null ? 'required' : 'preferred',
        timeout: challengeMs,
      };
      return { options, challenge: await sign('use', personId, value) };
    },

    async useCode(personId, code) {
      const { factors } = await store.factors.listOf(personId);
      for (const { factor, mark } of factors) {
        const secret = secretOf(factor);
        const step = secret === null ? null : stepOfCode(secret, code, now(), mark);
        if (step !== null && (await store.factors.use({ id: factor.id, mark: step, usedAtMs: now() })))
          return 'totp';
      }
      const plain = plainRecoveryCode(code);
      if (plain === null) return null;
      return (await store.factors.spend(personId, recoveryLookup(personId, plain))) ? 'recovery' : null;
    },

    async usePasskey({ challenge, response }, personId) {
      const asked = await verify(challenge, 'use', personId, challengeMs);
      const credentialId: unknown = 'id' in response ? response.id : undefined;
      if (asked === null || typeof credentialId !== 'string' || credentialId.length > 4_000) return null;
      const found = await store.factors.byLookup(passkeyLookup(credentialId));
      const passkey = found?.factor.passkey;
      if (found === null || passkey === undefined) return null;
      if (personId !== null && found.factor.personId !== personId) return null;
      const { readUsed } = await loadPasskeys();
      const counter = await readUsed(response, {
        publicUrl: publicUrl(),
        challenge: asked.value,
        passkey,
        mustVerify: personId === null,
      });
      if (counter === null) return null;
      // A challenge is used once: the next one must have been made later.
      const isFirst = await store.factors.use({
        id: found.factor.id,
        mark: asked.atMs,
        usedAtMs: now(),
        doc: { ...found.factor, passkey: { ...passkey, counter } },
      });
      return isFirst ? found.factor.personId : null;
    },

    async reseal() {
      const unreadable: string[] = [];
      let resealed = 0;
      for (let after: string | null = ''; after !== null;) {
        const { factors, last } = await store.factors.allOf('totp', { after, limit: pageOfFactors });
        for (const { factor } of factors) {
          if (factor.sealed === undefined || sealing.isCurrent(factor.sealed)) continue;
          const secret = secretOf(factor);
          if (secret === null) {
            unreadable.push(`the authenticator app "${factor.name}" of ${factor.personId}`);
            continue;
          }
          await store.factors.replace({ ...factor, sealed: sealing.seal(placeOf(factor), secret) }, factor);
          resealed++;
        }
        after = last;
      }
      return { resealed, unreadable };
    },
  };
}

// Bound to its row and person: moved to another it can't be opened.
function placeOf({ id, personId }: SecondFactor): string {
  return `second factor ${id} ${personId}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

// Crockford's base 32; 80 bits, so a fast hash is enough.
const codeLetters = '0123456789abcdefghjkmnpqrstvwxyz';

function newRecoveryCode(): string {
  const letters = [...randomBytes(16)].map((byte) => codeLetters[byte & 31]!).join('');
  return letters.replace(/(.{4})(?!$)/g, '$1-');
}

function plainRecoveryCode(code: string): string | null {
  if (code.length > 100) return null;
  const plain = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1');
  return plain.length === 16 ? plain : null;
}

function recoveryLookup(personId: string, code: string): string {
  return hashSecret(`recovery ${personId} ${plainRecoveryCode(code) ?? ''}`);
}

function passkeyLookup(credentialId: string): string {
  return hashSecret(`passkey ${credentialId}`);
}
