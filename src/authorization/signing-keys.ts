import { randomBytes, randomUUID, type webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { generateKeyPair as generate } from 'node:crypto';
import { type KeyRing, seal, sealedWith, unseal } from '../credentials/seal.ts';
import { HandrailError } from '../domain/errors.ts';
import { type Infer, list, object, text } from '../lib/schema/schema.ts';
import { timeMs } from '../domain/fields/row-fields.ts';
import { WeakCache } from '../lib/weak-cache.ts';
import { readJson } from '../lib/schema/read-json.ts';
import type { LeaseStore, MetaStore } from '../storage/ports.ts';

const generateKeyPair = promisify(generate);

const shortText = text({ min: 1, max: 1_000 });
const storedKeys = object({
  cookieKey: shortText,
  keys: list(object({ kid: shortText, x: shortText, y: shortText, d: shortText, createdAtMs: timeMs }), {
    min: 1,
    max: 10,
  }),
});

type StoredKeys = Infer<typeof storedKeys>;

/** A private key to sign with, as a JWK. */
export interface SigningJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly alg: 'ES256';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** The gateway's own keys, which every process of it shares. */
export interface SigningKeys {
  /** The newest first: it signs; the others are still published. */
  keys(): Promise<readonly SigningJwk[]>;
  /** The key to sign with for others: published for long enough that every process shows it. */
  signingKey(): Promise<SigningJwk>;
  /** The key set that anyone may read. */
  publicKeys(): Promise<readonly Omit<SigningJwk, 'd'>[]>;
  /** For the cookies of a sign-in under way. */
  cookieKey(): Promise<string>;
}

const fact = 'signing_keys';
const row = { id: fact, apiId: '', origins: [] };
const dayMs = 86_400_000;
const rotateAfterMs = 90 * dayMs;
// Longer than anything signed with it is valid.
const publishForMs = 2 * dayMs;
const readAgainMs = 60_000;
// Other processes read the keys again within a minute.
const publishFirstMs = 2 * readAgainMs;
const leaseName = 'signing_keys';

/**
 * Reads the keys, which are sealed with the master key; makes them when there are none or they can't be opened, and
 * a new one every 90 days.
 */
export function createSigningKeys(options: {
  readonly ring: KeyRing;
  readonly meta: MetaStore;
  readonly leases: LeaseStore;
  readonly now: () => number;
}): SigningKeys {
  const { ring, meta, leases, now } = options;
  const owner = randomUUID();
  const signingJwks = new WeakCache<StoredKeys['keys'][number], SigningJwk>();
  let held: { readonly stored: StoredKeys; readonly atMs: number } | null = null;
  let reading: Promise<StoredKeys> | null = null;

  function opened(sealed: string | null): StoredKeys | null {
    if (sealed === null) return null;
    try {
      return readJson(storedKeys, unseal(ring, row, sealed)['keys'] ?? '');
    } catch (error) {
      // Without the master key that they were sealed with they are lost, and new ones do as well.
      if (error instanceof HandrailError) return null;
      throw error;
    }
  }

  async function read(): Promise<StoredKeys> {
    const nowMs = now();
    const sealed = await meta.get(fact);
    const stored = opened(sealed);
    const isDue = stored === null || stored.keys[0]!.createdAtMs + rotateAfterMs <= nowMs;
    const isOutdated = sealed !== null && sealedWith(sealed) !== ring.current().id;
    if (!isDue && !isOutdated) return stored;
    // One process makes a key; the others keep using what there is.
    const isMine = await leases.claim(leaseName, owner, 10_000);
    if (!isMine && stored !== null) return stored;
    try {
      const current = opened(await meta.get(fact)) ?? stored;
      const next = await nextKeys(current, nowMs);
      const sealedNext = seal(ring, row, { keys: JSON.stringify(next) });
      if (sealed === null) {
        const first = opened(await meta.setIfAbsent(fact, sealedNext));
        if (first !== null) return first;
      }
      await meta.set(fact, sealedNext);
      return next;
    } finally {
      if (isMine) await leases.release(leaseName, owner);
    }
  }

  async function recent(): Promise<StoredKeys> {
    if (held !== null && now() - held.atMs < readAgainMs) return held.stored;
    reading ??= read().finally(() => (reading = null));
    const stored = await reading;
    held = { stored, atMs: now() };
    return stored;
  }

  return {
    async keys() {
      return (await recent()).keys.map(({ kid, x, y, d }) => ({ ...jwkBase, kid, x, y, d }));
    },
    async signingKey() {
      const stored = await recent();
      const key =
        stored.keys.find(({ createdAtMs }) => createdAtMs + publishFirstMs <= now()) ?? stored.keys.at(-1)!;
      return signingJwks.of(key, ({ kid, x, y, d }) => ({ ...jwkBase, kid, x, y, d }));
    },
    async publicKeys() {
      return (await recent()).keys.map(({ kid, x, y }) => ({ ...jwkBase, kid, x, y }));
    },
    async cookieKey() {
      return (await recent()).cookieKey;
    },
  };
}

const jwkBase = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' } as const;

async function nextKeys(stored: StoredKeys | null, nowMs: number): Promise<StoredKeys> {
  if (stored !== null && stored.keys[0]!.createdAtMs + rotateAfterMs > nowMs) return stored;
  const { privateKey } = await generateKeyPair('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' }: webcrypto.JsonWebKey = privateKey.export({ format: 'jwk' });
  const fresh = { kid: randomUUID(), x, y, d, createdAtMs: nowMs };
  // A key was replaced when the next one was made.
  const older = (stored?.keys ?? []).filter(
    (_key, at, all) => at === 0 || all[at - 1]!.createdAtMs + publishForMs > nowMs,
  );
  return {
    cookieKey: stored?.cookieKey ?? randomBytes(32).toString('base64url'),
    keys: [fresh, ...older].slice(0, 10),
  };
}
