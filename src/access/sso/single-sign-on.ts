import { randomBytes } from 'node:crypto';
import type { IdentityProvider, SignInFacts } from '../../domain/identity-provider.ts';
import { timeMs } from '../../domain/fields/row-fields.ts';
import { flag, integer, jsonValue, list, nullable, object, text } from '../../lib/schema/schema.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { MetaStore } from '../../storage/ports.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import type { Finished, OpenId } from './open-id.ts';

/** What a trial sign-in showed. */
interface Trial {
  readonly atMs: number;
  readonly claims: Record<string, unknown>;
  readonly facts: SignInFacts;
}

/** Single sign-on of one process; what speaks OpenID Connect is loaded when it is first used. */
export interface SingleSignOn {
  redirectUriOf(provider: IdentityProvider): string;
  discover(provider: IdentityProvider): Promise<{
    readonly authorizationEndpoint: string;
    readonly tokenEndpoint: string;
    readonly userinfoEndpoint?: string;
    readonly namesIssuerInAnswers: boolean;
  }>;
  /** Where a browser begins; `ticket` is from `trialUrl`. */
  start(
    provider: IdentityProvider,
    to: string,
    ticket: string | null,
  ): Promise<{ readonly url: string; readonly kept: string }>;
  finish(provider: IdentityProvider, callback: URL, kept: string | null): Promise<Finished>;
  /** An address at which a trial begins. */
  trialUrl(provider: IdentityProvider): Promise<string>;
  keepTrial(provider: IdentityProvider, finished: Finished): Promise<void>;
  /** The last trial, for an hour. */
  readTrial(provider: IdentityProvider): Promise<Trial | null>;
}

const trialKeptMs = 60 * 60_000;
const ticketMs = 10 * 60_000;
const maxTrialLength = 100_000;

const ticketForm = object({ provider: text({ max: 100 }), expiresAtMs: integer() });
const trialForm = object({
  atMs: timeMs,
  claims: jsonValue<JsonValue>(),
  facts: object({
    issuer: text({ max: 2_000 }),
    subject: text(),
    name: text({ max: 100 }),
    email: nullable(text({ max: 320 })),
    emailVerified: flag(),
    values: list(text({ max: 500 }), { max: 2_000 }),
  }),
});

const factOf = ({ id }: IdentityProvider) => `sso_trial:${id}`;

export function createSingleSignOn({
  fetch,
  meta,
  secretOf,
  publicUrl,
  now,
}: {
  readonly fetch: FetchGuarded;
  readonly meta: MetaStore;
  readonly secretOf: (provider: IdentityProvider) => string | null;
  readonly publicUrl: () => string;
  readonly now: () => number;
}): SingleSignOn {
  let opening: Promise<OpenId> | null = null;

  async function open(): Promise<OpenId> {
    const key = await meta.setIfAbsent('sso_state_key', randomBytes(32).toString('base64'));
    const { createOpenId } = await import('./open-id.ts');
    return createOpenId({ fetch, secretOf, stateKey: Buffer.from(key, 'base64'), now });
  }
  function openId(): Promise<OpenId> {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  const redirectUriOf = ({ slug }: IdentityProvider) => `${publicUrl()}/sso/${slug}/callback`;

  return {
    redirectUriOf,

    async discover(provider) {
      const server = await (await openId()).discover(provider);
      return {
        authorizationEndpoint: server.authorization_endpoint!,
        tokenEndpoint: server.token_endpoint!,
        ...(server.userinfo_endpoint !== undefined && { userinfoEndpoint: server.userinfo_endpoint }),
        namesIssuerInAnswers: server.authorization_response_iss_parameter_supported === true,
      };
    },

    async start(provider, to, ticket) {
      const { start, verify } = await openId();
      const signed = ticket === null ? null : verify(ticket);
      const read = signed === null ? null : readJson(ticketForm, signed);
      const isTrial = read !== null && read.provider === provider.id && read.expiresAtMs > now();
      return start(provider, { redirectUri: redirectUriOf(provider), to, isTrial });
    },

    finish: async (provider, callback, kept) =>
      (await openId()).finish(provider, { callback, redirectUri: redirectUriOf(provider), kept }),

    async trialUrl(provider) {
      const { sign } = await openId();
      const ticket = sign(JSON.stringify({ provider: provider.id, expiresAtMs: now() + ticketMs }));
      return `${publicUrl()}/sso/${provider.slug}/start?trial=${ticket}`;
    },

    async keepTrial(provider, { claims, facts }) {
      const value = JSON.stringify({ atMs: now(), claims, facts });
      const kept = value.length > maxTrialLength ? JSON.stringify({ atMs: now(), claims: {}, facts }) : value;
      await meta.set(factOf(provider), kept);
    },

    async readTrial(provider) {
      const fact = await meta.get(factOf(provider));
      const trial = fact === null ? null : readJson(trialForm, fact);
      if (trial === null || trial.atMs + trialKeptMs < now() || !isObject(trial.claims)) return null;
      return { ...trial, claims: { ...trial.claims } };
    },
  };
}
