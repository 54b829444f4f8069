import { randomUUID } from 'node:crypto';
import { type Account, account as accountSchema, maxEnteredLength } from '../domain/account.ts';
import type { Actor } from '../domain/audit.ts';
import type { Api } from '../domain/api.ts';
import { type AuthScheme, canBeOwn } from '../domain/auth-scheme.ts';
import { accountErrors } from '../domain/error-messages/accounts.ts';
import type { HandrailError } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import { authOrigins, optionalSecretFields, secretFields } from '../domain/secret-fields.ts';
import { referencesIn } from '../domain/secret-references.ts';
import { invalidInputError } from '../domain/stored/read-stored.ts';
import { problemsIn } from '../lib/schema/problems.ts';
import type { Call } from '../pipeline/call.ts';
import { auditEntry } from '../registry/audit-entries.ts';
import type { Registry } from '../registry/registry.ts';
import { checkFields, originsOf } from '../registry/rules/credentials.ts';
import { fresh, revise } from '../registry/rules/find-and-revise.ts';
import type { AccountStore } from '../storage/ports.ts';
import { type KeyRing, seal, type SecretFields, unseal } from './seal.ts';

/** How a person connects an account: by signing in at the API, or by entering these values. */
export type HowToConnect =
  | { readonly kind: 'browser' }
  | { readonly kind: 'enter'; readonly fields: readonly string[]; readonly optional: readonly string[] };

/** People's own accounts at APIs, of one process. */
export interface Accounts {
  /** The account that a call uses: of its person, as stored at most a second ago. Null if there is none that fits. */
  forCall(call: Call): Promise<Account | null>;
  /** Why a call can't be made before its person has connected an account, with the link for doing so. */
  neededError(call: Call, why?: string): HandrailError;
  /** An account as this process read it last. */
  current(id: string): Account | undefined;
  /** Raised when accounts left the memory of this process. */
  generation(): number;
  /** Reads an account again. */
  sync(id: string): Promise<void>;
  /** Stores tokens that an authorization server returned, unless the account's revision has changed. */
  saveTokens(id: string, fields: SecretFields, revision: number): Promise<void>;

  /** The APIs that people can connect an account to. */
  offered(): readonly Api[];
  /** One of them by id or slug, or throws `not_found`. */
  findOffered(reference: string): Api;
  howToConnect(api: Api): HowToConnect;
  /** The account of a person, whether or not it still fits its API. */
  find(personId: string, apiId: string): Promise<Account | null>;
  listOf(personId: string): Promise<readonly Account[]>;
  /** Whether calls can use it, or the API has changed since. */
  fits(api: Api, account: Account): boolean;
  /** Everyone who connected an account, by its id. */
  connectedTo(
    apiId: string,
    options: { readonly afterId?: string | undefined; readonly limit: number },
  ): Promise<readonly Account[]>;
  /** Connects an account with values that its person entered. */
  enter(personId: string, api: Api, fields: SecretFields, actor: Actor): Promise<Account>;
  /** Connects an account with tokens from an authorization server. */
  store(personId: string, api: Api, fields: SecretFields, actor: Actor): Promise<Account>;
  /** Removes an account; throws `not_found` if there is none. */
  disconnect(personId: string, api: Api, actor: Actor): Promise<void>;
  /** The API that a link was made for, if it was made for this person; throws otherwise. */
  readLink(link: string, personId: string): Api;
  /** Seals every account with another key, where `reseal` returns a text. */
  resealAll(reseal: (account: Account) => string | null): Promise<number>;
}

interface Known {
  readonly account: Account | null;
  readonly readAtMs: number;
}

const freshMs = 1_000;
const maxKnown = 2_000;
const linkMs = 30 * 60_000;
const linkRow = { id: 'account link', apiId: '', origins: [] };
const tokenFields = ['accessToken', 'accessTokenExpiresAtMs', 'accessTokenObtainedAtMs', 'refreshToken'];
const clientFields = new Set(['clientId', 'clientSecret', 'privateKeyPem', 'keyId']);

/** The page where people connect their accounts. */
export const accountsPath = '/admin/me';

export function createAccounts(options: {
  readonly store: AccountStore;
  readonly registry: Registry;
  readonly ring: KeyRing;
  readonly publicUrl: () => string;
  readonly now: () => number;
}): Accounts {
  const { store, registry, ring, publicUrl, now } = options;
  // By person and API, least recently read first.
  const known = new Map<string, Known>();
  const keys = new Map<string, string>();
  const reading = new Map<string, Promise<Account | null>>();
  let generation = 0;

  const keyOf = (personId: string, apiId: string) => `${personId}\n${apiId}`;

  function keep(key: string, account: Account | null, readAtMs: number): Account | null {
    const before = known.get(key)?.account ?? null;
    // The same object for as long as nothing changed: what was computed from it is kept with it.
    const same =
      before !== null && before.revision === account?.revision && before.sealed === account.sealed
        ? before
        : account;
    if (before !== null && before.id !== same?.id) keys.delete(before.id);
    if (same !== null) keys.set(same.id, key);
    known.delete(key);
    if (known.size >= maxKnown) forgetOldest();
    known.set(key, { account: same, readAtMs });
    return same;
  }

  function forgetOldest(): void {
    for (const [key, { account }] of [...known].slice(0, maxKnown / 4)) {
      known.delete(key);
      if (account !== null) keys.delete(account.id);
    }
    generation++;
  }

  function read(personId: string, apiId: string): Promise<Account | null> {
    const key = keyOf(personId, apiId);
    let pending = reading.get(key);
    if (pending === undefined) {
      const beganAtMs = now();
      pending = store
        .find(personId, apiId)
        .then((account) => keep(key, account, beganAtMs))
        .finally(() => reading.delete(key));
      reading.set(key, pending);
    }
    return pending;
  }

  /** Stores a new state of someone's account. */
  async function write(personId: string, api: Api, fields: SecretFields, actor: Actor): Promise<Account> {
    const moment = { nowMs: now() };
    const before = await store.find(personId, api.id);
    const origins = [...originsOf(registry.snapshot, api)];
    const callerId = `person:${personId}`;
    const id = before?.id ?? newId('acct', moment.nowMs);
    const row = { id, apiId: api.id, callerId, origins };
    const content = {
      kind: api.auth.kind,
      origins,
      name: `${api.name} (${callerId})`,
      fields: Object.keys(fields).toSorted(),
      sealed: seal(ring, row, fields),
    };
    const next: Account =
      before === null
        ? { ...fresh(id, moment), apiId: api.id, personId, callerId, ...content }
        : revise(before, content, undefined, moment);
    const problems = problemsIn(accountSchema, next);
    if (problems.length > 0) throw invalidInputError('account', problems);
    const entry = auditEntry(actor, now(), 'account.connect', { kind: 'account', id, label: api.slug });
    const line = {
      ...entry,
      after: JSON.stringify({ person: personId, api: api.slug, fields: next.fields }),
    };
    if (!(await store.put(next, before?.revision ?? null, [line]))) throw accountErrors.changedMeanwhile();
    keep(keyOf(personId, api.id), next, now());
    return next;
  }

  function isOffered(api: Api): boolean {
    return api.ownAccounts === true && api.enabled && canBeOwn(api.auth);
  }

  function link(personId: string, api: Api): string {
    const untilMs = String(now() + linkMs);
    const text = seal(ring, linkRow, { person: personId, api: api.id, untilMs });
    return `${publicUrl()}${accountsPath}?connect=${text}`;
  }

  function fits(api: Api, account: Account, origin = new URL(api.baseUrl).origin): boolean {
    return (
      account.kind === api.auth.kind &&
      ownFields(api.auth).every((field) => account.fields.includes(field)) &&
      [origin, ...authOrigins(api.auth)].every((one) => account.origins.includes(one))
    );
  }

  return {
    async forCall({ caller, tool: { api, request } }) {
      const personId = caller.person?.id;
      if (personId === undefined || !isOffered(api)) return null;
      const held = known.get(keyOf(personId, api.id));
      const account =
        held !== undefined && now() - held.readAtMs < freshMs ? held.account : await read(personId, api.id);
      return account !== null && fits(api, account, request.origin) ? account : null;
    },

    neededError({ caller, tool: { api } }, why = 'yours isn’t connected yet') {
      const personId = caller.person?.id;
      if (personId === undefined)
        return accountErrors.personNeeded({ slug: api.slug, callerId: caller.id }, { notSent: true });
      const url = link(personId, api);
      return accountErrors.needed(
        { api: api.name, why, url },
        { notSent: true, connect: { api: api.slug, url, id: randomUUID() } },
      );
    },

    current(id) {
      const key = keys.get(id);
      return (key === undefined ? null : known.get(key)?.account) ?? undefined;
    },

    generation: () => generation,

    async sync(id) {
      const account = await store.get(id);
      const key = keys.get(id) ?? (account && keyOf(account.personId, account.apiId));
      if (key !== null) keep(key, account, now());
    },

    async saveTokens(id, fields, revision) {
      const current = await store.get(id);
      if (current === null || current.revision !== revision) return;
      const tokens = Object.fromEntries(
        Object.entries(fields).filter(([name]) => tokenFields.includes(name)),
      );
      const next = revise(
        current,
        { fields: Object.keys(tokens).toSorted(), sealed: seal(ring, current, tokens) },
        undefined,
        { nowMs: now() },
      );
      if (await store.put(next, revision)) keep(keyOf(current.personId, current.apiId), next, now());
    },

    offered: () =>
      [...registry.snapshot.apis.values()]
        .filter(isOffered)
        .toSorted((one, other) => one.name.localeCompare(other.name)),

    findOffered(reference) {
      const { apis, apiBySlug } = registry.snapshot;
      const api = apis.get(reference) ?? apiBySlug.get(reference);
      if (api === undefined || !isOffered(api))
        throw accountErrors.notOffered({ api: reference.slice(0, 100) });
      return api;
    },

    howToConnect: (api) =>
      isConnectedInBrowser(api.auth)
        ? { kind: 'browser' }
        : {
            kind: 'enter',
            fields: ownFields(api.auth),
            optional: optionalSecretFields(api.auth),
          },

    find: (personId, apiId) => store.find(personId, apiId),
    listOf: (personId) => store.listOf(personId),
    fits: (api, account) => fits(api, account),
    connectedTo: (apiId, page) => store.list({ apiId, ...page }),

    async enter(personId, api, fields, actor) {
      if (isConnectedInBrowser(api.auth)) throw accountErrors.browserOnly({ slug: api.slug });
      checkFields(api, fields);
      // What they name is the operator's: a person could send it to an API that they control.
      if (referencesIn(fields) !== undefined)
        throw accountErrors.entered({ slug: api.slug, problems: 'a secret reference is not allowed here' });
      if (Object.values(fields).some((value) => value.length > maxEnteredLength))
        throw accountErrors.entered({
          slug: api.slug,
          problems: `a value is longer than ${maxEnteredLength} characters`,
        });
      return write(personId, api, fields, actor);
    },

    store(personId, api, fields, actor) {
      const tokens = Object.fromEntries(
        Object.entries(fields).filter(([name]) => tokenFields.includes(name)),
      );
      return write(personId, api, tokens, actor);
    },

    async disconnect(personId, api, actor) {
      const before = await store.find(personId, api.id);
      const entry = auditEntry(actor, now(), 'account.disconnect', {
        kind: 'account',
        ...(before !== null && { id: before.id }),
        label: api.slug,
      });
      const line = { ...entry, before: JSON.stringify({ person: personId, api: api.slug }) };
      if (!(await store.remove(personId, api.id, [line])))
        throw accountErrors.notConnected({ slug: api.slug });
      keep(keyOf(personId, api.id), null, now());
    },

    readLink(text, personId) {
      let fields: SecretFields;
      try {
        fields = unseal(ring, linkRow, text);
      } catch {
        throw accountErrors.linkExpired();
      }
      if (fields['person'] !== personId) throw accountErrors.linkForAnother();
      const api = registry.snapshot.apis.get(fields['api'] ?? '');
      if (!(now() <= Number(fields['untilMs'])) || api === undefined || !isOffered(api))
        throw accountErrors.linkExpired();
      return api;
    },

    async resealAll(reseal) {
      let resealed = 0;
      for (let afterId: string | undefined; ;) {
        const page = await store.list({ afterId, limit: 200 });
        for (const account of page) {
          const sealed = reseal(account);
          // The secret is the same, and so is its revision.
          if (sealed !== null && (await store.put({ ...account, sealed }, account.revision))) resealed++;
        }
        if (page.length < 200) return resealed;
        afterId = page.at(-1)!.id;
      }
    },
  };
}

/** The fields of the API's own credential that accounts use: those of its OAuth client. */
export function clientPart(fields: SecretFields): SecretFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => clientFields.has(name)));
}

function isConnectedInBrowser(scheme: AuthScheme): boolean {
  return scheme.kind === 'oauth2' && scheme.grant === 'authorization_code';
}

/** The fields that an account of this scheme must have. */
function ownFields(scheme: AuthScheme): readonly string[] {
  return scheme.kind === 'oauth2' ? ['accessToken'] : secretFields(scheme);
}
