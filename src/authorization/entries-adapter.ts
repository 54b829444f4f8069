import type { Adapter, AdapterPayload } from 'oidc-provider';
import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js';
import { entryKinds } from '../access/tokens/granted-tokens.ts';
import { jsonObject } from '../access/tokens/issuer-metadata.ts';
import type { GrantStore } from '../storage/ports.ts';

/** Called when a grant was ended because something of it was used twice. */
export type OnReuse = (grantId: string, personId: string | undefined, what: string) => Promise<void>;

const toleranceS = 15;
// Only clients have no time of their own.
const unusedClientS = 86_400;
/**
 * Refresh tokens of one app that are remembered, used ones included: more than an app needs that gets a new one every ten
 * minutes. Forgetting the oldest instead would let someone who stole it go unnoticed.
 */
const maxRefreshTokens = 5_000;
/** How long a registration lasts after its app got a token. */
const usedClientMs = 90 * 86_400_000;

export interface EntriesOptions {
  readonly grants: GrantStore;
  /** Called after a grant has ended. */
  readonly onEnded: () => Promise<void>;
  readonly onReuse: OnReuse;
  readonly now: () => number;
}

/** Keeps the library's models of one name in our store. */
export function createEntriesAdapter(
  kind: string,
  { grants, onEnded, onReuse, now }: EntriesOptions,
): Adapter {
  // No one stays signed in at the authorization server itself: people are signed in to the gateway.
  if (kind === 'Session') return noEntries;

  function payloadOf(
    name: string,
    doc: string,
    consumedAtMs: number | undefined,
  ): AdapterPayload | undefined {
    const payload = jsonObject(Buffer.from(doc));
    if (payload === null) return undefined;
    return {
      ...payload,
      ...(kind !== 'Client' && { jti: name }),
      ...(consumedAtMs !== undefined && { consumed: Math.floor(consumedAtMs / 1000) }),
    };
  }

  async function endGrant(grantId: string): Promise<void> {
    // The library asks for each kind of token.
    if ((await grants.endGrant(grantId)) > 0) await onEnded();
  }

  return {
    async upsert(name, { jti: _secret, ...payload }, expiresInS = unusedClientS) {
      const nowMs = now();
      const grantId = kind === 'Grant' ? name : payload.grantId;
      if (kind === 'RefreshToken' && (await grants.count(kind, grantId)) >= maxRefreshTokens) {
        await endGrant(String(grantId));
        throw new InvalidGrant('too many tokens were issued to this app: the person has to sign in again');
      }
      const expiresAtMs = nowMs + (expiresInS + toleranceS) * 1000;
      await grants.put({
        name,
        kind,
        grantId,
        personId: payload.accountId,
        createdAtMs: nowMs,
        expiresAtMs,
        doc: JSON.stringify(payload),
      });
      // An app stays connected for as long as it could get another token.
      if (grantId !== undefined && (kind === 'AccessToken' || kind === 'RefreshToken')) {
        await grants.prolong(entryKinds.connectedApp, grantId, expiresAtMs);
        await grants.prolong('Grant', grantId, expiresAtMs);
        if (payload.clientId !== undefined)
          await grants.prolong('Client', payload.clientId, nowMs + usedClientMs);
      }
    },
    async find(name) {
      const entry = await grants.get(kind, name, now());
      return entry === null ? undefined : payloadOf(name, entry.doc, entry.consumedAtMs);
    },
    async consume(name) {
      const entry = await grants.get(kind, name, now());
      if (entry !== null && (await grants.consume(kind, name, now()))) return;
      // Two at the same time: one of them is not the app, and which one can't be known.
      if (entry?.grantId !== undefined) {
        await endGrant(entry.grantId);
        await onReuse(entry.grantId, entry.personId, kind);
      }
      throw new InvalidGrant('it was already used');
    },
    async destroy(name) {
      if (kind === 'Grant') await endGrant(name);
      else await grants.remove(kind, name);
    },
    revokeByGrantId: endGrant,
    findByUid: nothing,
    findByUserCode: nothing,
  };
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);
const done = (): Promise<void> => Promise.resolve();

const noEntries: Adapter = {
  upsert: done,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: done,
  destroy: done,
  revokeByGrantId: done,
};
