import { createHash, randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { type Actor, handrailItself } from '../domain/audit.ts';
import type { Api } from '../domain/api.ts';
import { type AuthScheme, exchangesTokens, type OAuth2Scheme } from '../domain/auth-scheme.ts';
import { accountErrors } from '../domain/error-messages/accounts.ts';
import { secretFields } from '../domain/secret-fields.ts';
import { referenceIn } from '../domain/secret-references.ts';
import { WeakCache } from '../lib/weak-cache.ts';
import type { Credential } from '../domain/credential.ts';
import { credentialErrors } from '../domain/error-messages/credentials.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Model } from '../domain/models/model.ts';
import type { OAuthPolicy } from '../domain/server.ts';
import {
  agreeToOrigins,
  findCredential,
  refillCredential,
  resealCredentials,
  setCredential,
  deleteCredential,
} from '../registry/rules/credentials.ts';
import type { NewCredential } from '../registry/rules/credentials.ts';
import type { Decision, Registry } from '../registry/registry.ts';
import { findApi } from '../registry/rules/find-and-revise.ts';
import type { IdentityProvider } from '../domain/identity-provider.ts';
import { resealIdentityProviders, type SealProviderSecret } from '../registry/rules/identity-providers.ts';
import { resealModels, type SealModelKey } from '../registry/rules/models.ts';
import { resealClientSecrets } from '../registry/rules/servers.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { type Accounts, clientPart } from './accounts.ts';
import { type CredentialFinder, createCredentialFinder } from './find-credential.ts';
import { addKeyToFile, recordKeyId } from './master-key.ts';
import type { OAuthClient } from './schemes/oauth2.ts';
import { partsOf } from './open-credential.ts';
import type { SecretReferences } from './resolve-references.ts';
import type { KeyRing, RowIdentity, SecretFields } from './seal.ts';
import { seal, sealedWith, unseal } from './seal.ts';
import { resealRows } from './sealed-registry.ts';
import type { CredentialTest } from './test-credential.ts';
import { testCredential } from './test-credential.ts';

/** What operators can do with credentials. Secrets go in and never come out. */
export interface CredentialActions {
  /** Stores a secret. A single `secret` is enough if the API's scheme has one field. */
  set(input: EnteredCredential, actor: Actor): Promise<Credential>;
  /** Seals a secret and returns the changes that store it, for a commit with other changes. */
  decide(snapshot: Snapshot, input: EnteredCredential): Decision<Credential>;
  /** Allows or disallows sending an API's secrets to origins that its document names. */
  decideOrigins(snapshot: Snapshot, api: string, origins: readonly string[], agree: boolean): Decision<Api>;
  remove(id: string, actor: Actor): Promise<void>;
  test(id: string, path?: string): Promise<CredentialTest>;
  /** Tests a secret without ever storing it. */
  testDraft(input: EnteredCredential, path?: string): Promise<CredentialTest>;
  /** Starts a connection in the browser that has `mark`, or in the first one that presents the ticket. */
  connect(
    id: string,
    redirectUri: string,
    mark: string,
  ): Promise<{ readonly authorizationUrl: string; readonly ticket: string }>;
  /** Exchanges a ticket for the browser's mark and the URL to redirect it to. A ticket works once. */
  start(ticket: string): Promise<{ readonly authorizationUrl: string; readonly mark: string }>;
  /** Starts the connection of a person's own account, in the browser that has `mark`. */
  connectAccount(
    actor: Actor,
    personId: string,
    api: Api,
    redirectUri: string,
    mark: string,
  ): Promise<string>;
  /** Completes a connection, given the callback URL and the browser's mark. */
  connected(callback: URL, mark: string | null): Promise<Connected>;
  /** Stores fields that an authorization server changed, unless the credential's revision has changed. */
  saveFields(id: string, fields: SecretFields, revision: number): Promise<void>;
  /** Seals the client secret for token introspection, bound to that policy. */
  sealClientSecret(policy: OAuthPolicy, secret: string): string;
  /** Opens it, or finds it by its reference; throws if none was entered, or if it was entered for another issuer, address or client. */
  clientSecretOf(policy: OAuthPolicy): Promise<string>;
  /** Seals the key of a model, bound to the model's origin. */
  sealModelKey: SealModelKey;
  /** Opens it, or finds it by its reference; null if the model has none; throws if it was entered for another address. */
  modelKeyOf(model: Model): Promise<string | null>;
  /** The same, as far as the reference was resolved before: for masking. */
  knownModelKeyOf(model: Model): string | null;
  /** The reference that a model's key is; null if it has no key, or the key itself is stored. */
  modelKeyReference(model: Model): string | null;
  /** Seals the client secret of an identity provider, bound to its issuer. */
  sealProviderSecret: SealProviderSecret;
  /** Opens it; null if it has none. */
  providerSecretOf(provider: IdentityProvider): string | null;
  /** Reseals everything with the newest master key, after creating one if the key is in a file. */
  rotateKey(options: { readonly lostKey: boolean }, actor: Actor): Promise<Rotation>;
}

/** What was connected: for the whole API, or as one person's own account. */
export interface Connected {
  readonly api: Api;
  readonly personId: string | null;
}

/** A credential as an operator enters it. */
type EnteredCredential = Omit<NewCredential, 'fields'> & {
  readonly fields?: SecretFields;
  readonly secret?: string;
};

/** The result of rotating the master key. */
interface Rotation {
  readonly keyId: string;
  readonly resealed: number;
  /** Names of credentials that could not be opened and must be entered again. */
  readonly unreadable: readonly string[];
}

const stateRow = { id: 'oauth-state', apiId: '', origins: [] };
const ticketRow = { id: 'oauth-ticket', apiId: '', origins: [] };
const usedPrefix = 'oauth_used:';
const connectWithinMs = 600_000;

export function createCredentialActions(options: {
  readonly registry: Registry;
  readonly ring: KeyRing;
  readonly references: SecretReferences;
  readonly finder: () => CredentialFinder;
  readonly oauth: OAuthClient;
  readonly fetch: FetchGuarded;
  readonly meta: MetaStore;
  readonly accounts: Accounts;
  /** Whether a person may still use this gateway. */
  readonly isActive: (personId: string) => Promise<boolean>;
  /** The folder of the key file; null if the key is from the environment. */
  readonly keyDir: string | null;
  readonly now: () => number;
}): CredentialActions {
  const { registry, ring, now } = options;
  const moment = () => ({ nowMs: now() });
  const clientFields = new WeakCache<OAuthPolicy, SecretFields>();
  const modelFields = new WeakCache<Model, SecretFields>();
  const modelFieldsOf = (model: Model): SecretFields | null => {
    const { sealed } = model;
    return sealed === undefined ? null : modelFields.of(model, () => unseal(ring, modelRow(model), sealed));
  };
  /** The OAuth client that people's accounts at an API are connected with. */
  async function clientOf(api: Api): Promise<SecretFields> {
    for (const credential of registry.snapshot.credentials.values())
      if (credential.apiId === api.id && credential.callerId === undefined)
        return clientPart(await openFields(credential));
    throw accountErrors.clientMissing({ slug: api.slug });
  }

  const sealRow: Parameters<typeof setCredential>[2] = (row, fields) => seal(ring, row, fields);

  function find(id: string): { readonly credential: Credential; readonly api: ReturnType<typeof findApi> } {
    const { snapshot } = registry;
    const credential = findCredential(snapshot, id);
    return { credential, api: findApi(snapshot, credential.apiId) };
  }

  const entered = (snapshot: Snapshot, { secret, fields: given, ...input }: EnteredCredential) => {
    const fields = given ?? soleField(findApi(snapshot, input.api).auth, secret);
    options.references.check(fields);
    return setCredential(snapshot, { ...input, fields }, sealRow, moment());
  };

  /** The fields of a credential with the secrets that references name. */
  async function openFields(credential: Credential): Promise<SecretFields> {
    const stored = unseal(ring, credential, credential.sealed);
    await options.references.prepare(stored);
    return options.references.resolve(stored);
  }

  async function saveFields(id: string, fields: SecretFields, revision: number): Promise<void> {
    await registry.commit<unknown>(handrailItself, (snapshot) =>
      snapshot.credentials.get(id)?.revision === revision
        ? refillCredential(snapshot, id, fields, sealRow, moment())
        : { changes: [], result: null },
    );
  }

  /** Throws if it was used before, in any process, or has expired. */
  async function useOnce(sealed: string, untilMs: number): Promise<void> {
    if (!(now() <= untilMs)) throw credentialErrors.connectionInvalid();
    const mine = `${untilMs} ${randomUUID()}`;
    if ((await options.meta.setIfAbsent(usedPrefix + hashOf(sealed), mine)) !== mine)
      throw credentialErrors.connectionInvalid();
    for (const [name, value] of await options.meta.getAll(usedPrefix))
      if (now() > Number.parseInt(value, 10)) await options.meta.delete(name);
  }

  return {
    saveFields,

    set: (input, actor) => registry.commit(actor, (snapshot) => entered(snapshot, input)),

    decide: entered,

    decideOrigins: (snapshot, api, origins, agree) =>
      agreeToOrigins(
        snapshot,
        api,
        origins,
        agree,
        (credential, next) => {
          try {
            return seal(ring, { ...credential, origins: next }, unseal(ring, credential, credential.sealed));
          } catch (error) {
            if (error instanceof HandrailError) return null;
            throw error;
          }
        },
        moment(),
      ),

    async remove(id, actor) {
      await registry.commit(actor, (snapshot) => deleteCredential(snapshot, id));
    },

    async test(id, path) {
      const { credential, api } = find(id);
      return testCredential(options.finder().open, options.fetch, api, credential, path);
    },

    async testDraft(input, path) {
      const { result: credential } = entered(registry.snapshot, input);
      const api = findApi(registry.snapshot, credential.apiId);
      if (
        partsOf(api.auth).some(
          ([, part]) =>
            part.kind === 'oauth2' && part.grant !== 'client_credentials' && !exchangesTokens(part),
        )
      )
        // Many servers accept a refresh token once and return the next one, which would be lost here.
        return {
          ok: null,
          message:
            'A sign-in that a person started can only be tested once it is stored: testing it before could use it up.',
        };
      // A separate finder, so that neither the secret nor a token fetched with it is kept anywhere.
      const finder = createCredentialFinder({
        ...options,
        credentials: () => new Map(),
        isUnread: () => false,
        // Only client credentials get here, and those are not renewed.
        renewals: null,
        accounts: null,
        identities: null,
      });
      return testCredential(finder.open, options.fetch, api, credential, path);
    },

    async start(ticket) {
      const { authorizationUrl, mark, untilMs } = readSealed(ring, ticketRow, ticket);
      await useOnce(ticket, Number(untilMs));
      return { authorizationUrl: authorizationUrl ?? '', mark: mark ?? '' };
    },

    async connect(id, redirectUri, mark) {
      const { credential, api } = find(id);
      const scheme = connectable(api.auth);
      const fields = await openFields(credential);
      const verifier = oauth.generateRandomCodeVerifier();
      const untilMs = String(now() + connectWithinMs);
      const state = seal(ring, stateRow, { id, redirectUri, verifier, untilMs, markHash: hashOf(mark) });
      const authorizationUrl = await options.oauth.authorizationUrl(scheme, fields, api.egressAllow, {
        redirectUri,
        state,
        verifier,
      });
      return { authorizationUrl, ticket: seal(ring, ticketRow, { authorizationUrl, mark, untilMs }) };
    },

    async connectAccount({ label, address = '' }, personId, api, redirectUri, mark) {
      if (options.accounts.howToConnect(api).kind !== 'browser')
        throw accountErrors.enteredOnly({ slug: api.slug });
      const scheme = connectable(api.auth);
      const fields = await clientOf(api);
      const verifier = oauth.generateRandomCodeVerifier();
      const untilMs = String(now() + connectWithinMs);
      const begun = {
        api: api.id,
        person: personId,
        label,
        address,
        redirectUri,
        verifier,
        untilMs,
        markHash: hashOf(mark),
      };
      return options.oauth.authorizationUrl(scheme, fields, api.egressAllow, {
        redirectUri,
        state: seal(ring, stateRow, begun),
        verifier,
      });
    },

    async connected(callback, mark) {
      const state = callback.searchParams.get('state') ?? '';
      const begun = readSealed(ring, stateRow, state);
      // Otherwise an attacker could lure an operator into completing the attacker's own connection.
      if (mark === null || hashOf(mark) !== begun['markHash']) throw credentialErrors.connectionInvalid();
      await useOnce(state, Number(begun['untilMs']));
      const personId = begun['person'] ?? null;
      // Removed or disabled since it began.
      if (personId !== null && !(await options.isActive(personId)))
        throw credentialErrors.connectionInvalid();
      const credential = personId === null ? find(begun['id'] ?? '').credential : null;
      const api =
        credential === null
          ? options.accounts.findOffered(begun['api'] ?? '')
          : findApi(registry.snapshot, credential.apiId);
      const fields = credential === null ? await clientOf(api) : await openFields(credential);
      const { changedFields, token } = await options.oauth.exchangeCode(
        connectable(api.auth),
        fields,
        api.egressAllow,
        {
          callback,
          redirectUri: begun['redirectUri'] ?? '',
          state,
          verifier: begun['verifier'] ?? '',
        },
      );
      const stored = changedFields ?? {
        ...fields,
        accessToken: token.value,
        ...(token.expiresAtMs !== null && { accessTokenExpiresAtMs: String(token.expiresAtMs) }),
      };
      if (credential === null) {
        const { label = '', address } = begun;
        const actor = { id: personId ?? '', label, ...(address && { address }) };
        await options.accounts.store(actor.id, api, stored, actor);
        return { api, personId };
      }
      await registry.commit(handrailItself, (snapshot) =>
        refillCredential(snapshot, credential.id, stored, sealRow, moment()),
      );
      return { api, personId };
    },

    sealClientSecret(policy, secret) {
      options.references.check({ secret });
      return seal(ring, clientRow(policy), { secret });
    },

    async clientSecretOf(policy) {
      const sealed = policy.introspection?.sealed;
      if (sealed === undefined) throw credentialErrors.clientSecretMissing();
      const fields = clientFields.of(policy, () => unseal(ring, clientRow(policy), sealed));
      await options.references.prepare(fields);
      const { secret } = options.references.resolve(fields);
      if (secret !== undefined) return secret;
      throw credentialErrors.clientSecretMissing();
    },

    sealModelKey(row, key) {
      options.references.check({ key });
      return seal(ring, modelRow(row), { key });
    },

    async modelKeyOf(model) {
      const fields = modelFieldsOf(model);
      if (fields === null) return null;
      await options.references.prepare(fields);
      return options.references.resolve(fields)['key'] ?? null;
    },

    knownModelKeyOf(model) {
      const fields = modelFieldsOf(model);
      return fields === null ? null : (options.references.resolve(fields)['key'] ?? null);
    },

    modelKeyReference(model) {
      try {
        const key = modelFieldsOf(model)?.['key'] ?? '';
        return referenceIn(key) === null ? null : key.trim();
      } catch (error) {
        // A key that can't be opened must be entered again; the model is shown all the same.
        if (error instanceof HandrailError) return null;
        throw error;
      }
    },

    sealProviderSecret: (row, secret) => seal(ring, providerRow(row), { secret }),

    providerSecretOf(provider) {
      if (provider.sealed === undefined) return null;
      return unseal(ring, providerRow(provider), provider.sealed)['secret'] ?? null;
    },

    async rotateKey({ lostKey }, actor) {
      const storedId = await options.meta.get('secret_key_id');
      const isLost = storedId !== null && ring.find(storedId) === null;
      if (isLost && !lostKey) {
        throw credentialErrors.masterKeyUnavailable({ keyId: storedId });
      }
      const keyId = options.keyDir === null ? ring.current().id : addKeyToFile(options.keyDir);
      const unreadable: string[] = [];
      const reseal = (row: RowIdentity, sealed: string, name: string): string | null => {
        if (sealedWith(sealed) === keyId) return null;
        try {
          return seal(ring, row, unseal(ring, row, sealed));
        } catch {
          unreadable.push(name);
          return null;
        }
      };
      const resealed = await registry.commit(actor, (snapshot) => {
        unreadable.length = 0;
        const rows = resealCredentials(snapshot, (row) => reseal(row, row.sealed, row.name));
        const clients = resealClientSecrets(snapshot, (policy, sealed, name) =>
          reseal(clientRow(policy), sealed, name),
        );
        const models = resealModels(snapshot, (model, sealed) =>
          reseal(modelRow(model), sealed, `the key of the model ${model.name}`),
        );
        const providers = resealIdentityProviders(snapshot, (provider, sealed) =>
          reseal(providerRow(provider), sealed, `the client secret of ${provider.name}`),
        );
        const within = resealRows(snapshot, (name) => unreadable.push(name));
        return {
          changes: [
            ...rows.changes,
            ...clients.changes,
            ...models.changes,
            ...providers.changes,
            ...within.changes,
          ],
          result: rows.result + clients.result + models.result + providers.result + within.result,
        };
      });
      const accounts = await options.accounts.resealAll((account) =>
        reseal(account, account.sealed, account.name),
      );
      await recordKeyId(options.meta, keyId);
      return { keyId, resealed: resealed + accounts, unreadable };
    },
  };
}

// Bound to its destination: with another issuer or address in the policy it cannot be opened, and is not sent there.
function clientRow({ issuer, introspection }: OAuthPolicy): RowIdentity {
  const { url, clientId } = introspection ?? {};
  return {
    id: `introspection ${clientId ?? ''}`,
    apiId: '',
    origins: [issuer, ...(url === undefined ? [] : [url])],
  };
}

// Bound to its issuer: no other is ever sent the secret.
function providerRow({ id, issuer }: Pick<IdentityProvider, 'id' | 'issuer'>): RowIdentity {
  return { id: `identity provider ${id}`, apiId: '', origins: [issuer] };
}

// Bound to its destination: a model moved to another origin has no key until it is entered again.
function modelRow({ id, baseUrl }: Pick<Model, 'id' | 'baseUrl'>): RowIdentity {
  return { id: `model ${id}`, apiId: '', origins: [new URL(baseUrl).origin] };
}

function soleField(scheme: AuthScheme, secret: string | undefined): SecretFields {
  const fields = secretFields(scheme);
  return secret === undefined || fields.length !== 1 ? {} : { [fields[0]!]: secret };
}

function connectable(scheme: AuthScheme): OAuth2Scheme {
  if (scheme.kind === 'oauth2' && scheme.grant === 'authorization_code') return scheme;
  throw credentialErrors.notConnectable();
}

function readSealed(ring: KeyRing, row: typeof stateRow, sealed: string): SecretFields {
  try {
    return unseal(ring, row, sealed);
  } catch {
    throw credentialErrors.connectionInvalid();
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
