import { createHash, randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { type Actor, handrailItself } from '../domain/audit.ts';
import type { Api } from '../domain/api.ts';
import type { AuthScheme, OAuth2Scheme } from '../domain/auth-scheme.ts';
import { secretFields } from '../domain/secret-fields.ts';
import type { Credential } from '../domain/credential.ts';
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
import { resealModels, type SealModelKey } from '../registry/rules/models.ts';
import { resealClientSecrets } from '../registry/rules/servers.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { type CredentialFinder, createCredentialFinder } from './find-credential.ts';
import { addKeyToFile, recordKeyId } from './master-key.ts';
import type { OAuthClient } from './schemes/oauth2.ts';
import { partsOf } from './open-credential.ts';
import type { KeyRing, RowIdentity, SecretFields } from './seal.ts';
import { seal, sealedWith, unseal } from './seal.ts';
import { resealRows } from './sealed-registry.ts';
import type { CredentialTest } from './test-credential.ts';
import { testCredential } from './test-credential.ts';

/** What operators do with credentials. Secrets go in here and never come out. */
export interface CredentialActions {
  /** Stores a secret. A single `secret` is enough where the API's scheme has one field. */
  set(input: EnteredCredential, actor: Actor): Promise<Credential>;
  /** Seals a secret and decides how to store it, for a commit that changes more than that. */
  decide(snapshot: Snapshot, input: EnteredCredential): Decision<Credential>;
  /** Decides that an API's secrets may go to origins that its document names, or no longer. */
  decideOrigins(snapshot: Snapshot, api: string, origins: readonly string[], agree: boolean): Decision<Api>;
  remove(id: string, actor: Actor): Promise<void>;
  test(id: string, path?: string): Promise<CredentialTest>;
  /** Tries a secret that is stored nowhere, before or after. */
  testDraft(input: EnteredCredential, path?: string): Promise<CredentialTest>;
  /** Begins a connection in the browser that holds `mark`, or in the first one that brings the ticket. */
  connect(
    id: string,
    redirectUri: string,
    mark: string,
  ): Promise<{ readonly authorizationUrl: string; readonly ticket: string }>;
  /** What a browser that brings a ticket is given, and where it goes on to. A ticket is good once. */
  start(ticket: string): Promise<{ readonly authorizationUrl: string; readonly mark: string }>;
  /** Ends a connection with the address the authorization server sent the browser back to, and what that browser holds. */
  connected(callback: URL, mark: string | null): Promise<Credential>;
  /** Keeps fields that an authorization server changed, unless the credential has another revision by then. */
  saveFields(id: string, fields: SecretFields, revision: number): Promise<void>;
  /** Seals the secret with which an issuer is asked about tokens, for that policy alone. */
  sealClientSecret(policy: OAuthPolicy, secret: string): string;
  /** Opens it; refuses when none was entered, or when it was entered for another issuer, address or client. */
  clientSecretOf(policy: OAuthPolicy): string;
  /** Seals the key of a model, for where that is asked and nowhere else. */
  sealModelKey: SealModelKey;
  /** Opens it; null when the model has none, refused when it was entered for another address. */
  modelKeyOf(model: Model): string | null;
  /** Seals everything with the newest master key, making one first when the key lives in a file. */
  rotateKey(options: { readonly lostKey: boolean }, actor: Actor): Promise<Rotation>;
}

/** A credential as an operator enters it. */
type EnteredCredential = Omit<NewCredential, 'fields'> & {
  readonly fields?: SecretFields;
  readonly secret?: string;
};

/** What an exchange of the master key came to. */
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
  readonly finder: () => CredentialFinder;
  readonly oauth: OAuthClient;
  readonly fetch: FetchGuarded;
  readonly meta: MetaStore;
  /** The folder of the key file; null when the key comes from the environment. */
  readonly keyDir: string | null;
  readonly now: () => number;
}): CredentialActions {
  const { registry, ring, now } = options;
  const moment = () => ({ nowMs: now() });
  const sealRow: Parameters<typeof setCredential>[2] = (row, fields) => seal(ring, row, fields);

  function find(id: string): { readonly credential: Credential; readonly api: ReturnType<typeof findApi> } {
    const { snapshot } = registry;
    const credential = findCredential(snapshot, id);
    return { credential, api: findApi(snapshot, credential.apiId) };
  }

  const entered = (snapshot: Snapshot, { secret, fields, ...input }: EnteredCredential) =>
    setCredential(
      snapshot,
      { ...input, fields: fields ?? soleField(findApi(snapshot, input.api).auth, secret) },
      sealRow,
      moment(),
    );

  async function saveFields(id: string, fields: SecretFields, revision: number): Promise<void> {
    await registry.commit<unknown>(handrailItself, (snapshot) =>
      snapshot.credentials.get(id)?.revision === revision
        ? refillCredential(snapshot, id, fields, sealRow, moment())
        : { changes: [], result: null },
    );
  }

  /** Throws when it was used before, in whichever process, or when its time is over. */
  async function useOnce(sealed: string, untilMs: number): Promise<void> {
    if (!(now() <= untilMs)) throw badState();
    const mine = `${untilMs} ${randomUUID()}`;
    if ((await options.meta.setIfAbsent(usedPrefix + hashOf(sealed), mine)) !== mine) throw badState();
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
      if (partsOf(api.auth).some(([, part]) => part.kind === 'oauth2' && part.grant !== 'client_credentials'))
        // Many servers take a refresh token once and answer with the next one, which would be lost here.
        return {
          ok: null,
          message:
            'A sign-in that a person began is tried once it is stored: trying it first could use it up.',
        };
      // Of its own, so that neither the secret nor a token fetched with it is kept anywhere.
      const finder = createCredentialFinder({
        ...options,
        credentials: () => new Map(),
        isUnread: () => false,
        // Only client credentials come here, and those are not renewed.
        renewals: null,
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
      const fields = unseal(ring, credential, credential.sealed);
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

    async connected(callback, mark) {
      const state = callback.searchParams.get('state') ?? '';
      const begun = readSealed(ring, stateRow, state);
      // Whoever lures an operator to the end of a connection that they began themselves would have theirs stored.
      if (mark === null || hashOf(mark) !== begun['markHash']) throw badState();
      await useOnce(state, Number(begun['untilMs']));
      const { credential, api } = find(begun['id'] ?? '');
      const fields = unseal(ring, credential, credential.sealed);
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
      await registry.commit(handrailItself, (snapshot) =>
        refillCredential(
          snapshot,
          credential.id,
          changedFields ?? { ...fields, accessToken: token.value },
          sealRow,
          moment(),
        ),
      );
      return findCredential(registry.snapshot, credential.id);
    },

    sealClientSecret: (policy, secret) => seal(ring, clientRow(policy), { secret }),

    clientSecretOf(policy) {
      const sealed = policy.introspection?.sealed;
      const { secret } = sealed === undefined ? {} : unseal(ring, clientRow(policy), sealed);
      if (secret !== undefined) return secret;
      throw new HandrailError(
        'credential_missing',
        'The issuer cannot be asked about access tokens: the client secret of the introspection was not entered.',
      );
    },

    sealModelKey: (row, key) => seal(ring, modelRow(row), { key }),

    modelKeyOf(model) {
      if (model.sealed === undefined) return null;
      return unseal(ring, modelRow(model), model.sealed)['key'] ?? null;
    },

    async rotateKey({ lostKey }, actor) {
      const storedId = await options.meta.get('secret_key_id');
      const isLost = storedId !== null && ring.find(storedId) === null;
      if (isLost && !lostKey) {
        throw new HandrailError(
          'conflict',
          `The present master key (${storedId}) is not at hand, so the stored secrets cannot be sealed anew. Restore it, or accept the loss with --lost-key and enter the secrets again.`,
        );
      }
      const keyId = options.keyDir === null ? ring.current().id : addKeyToFile(options.keyDir);
      const unreadable: string[] = [];
      const resealed = await registry.commit(actor, (snapshot) => {
        unreadable.length = 0;
        const reseal = (row: RowIdentity, sealed: string, name: string): string | null => {
          if (sealedWith(sealed) === keyId) return null;
          try {
            return seal(ring, row, unseal(ring, row, sealed));
          } catch {
            unreadable.push(name);
            return null;
          }
        };
        const rows = resealCredentials(snapshot, (row) => reseal(row, row.sealed, row.name));
        const clients = resealClientSecrets(snapshot, (policy, sealed, name) =>
          reseal(clientRow(policy), sealed, name),
        );
        const models = resealModels(snapshot, (model, sealed) =>
          reseal(modelRow(model), sealed, `the key of the model ${model.name}`),
        );
        const within = resealRows(snapshot, (name) => unreadable.push(name));
        return {
          changes: [...rows.changes, ...clients.changes, ...models.changes, ...within.changes],
          result: rows.result + clients.result + models.result + within.result,
        };
      });
      await recordKeyId(options.meta, keyId);
      return { keyId, resealed, unreadable };
    },
  };
}

// Bound to where it goes: with another issuer or address in the policy it does not open, and is not sent there.
function clientRow({ issuer, introspection }: OAuthPolicy): RowIdentity {
  const { url, clientId } = introspection ?? {};
  return {
    id: `introspection ${clientId ?? ''}`,
    apiId: '',
    origins: [issuer, ...(url === undefined ? [] : [url])],
  };
}

// Bound to where it goes: a model that is moved to another origin has none until it is entered again.
function modelRow({ id, baseUrl }: Pick<Model, 'id' | 'baseUrl'>): RowIdentity {
  return { id: `model ${id}`, apiId: '', origins: [new URL(baseUrl).origin] };
}

function soleField(scheme: AuthScheme, secret: string | undefined): SecretFields {
  const fields = secretFields(scheme);
  return secret === undefined || fields.length !== 1 ? {} : { [fields[0]!]: secret };
}

function connectable(scheme: AuthScheme): OAuth2Scheme {
  if (scheme.kind === 'oauth2' && scheme.grant === 'authorization_code') return scheme;
  throw new HandrailError(
    'invalid_input',
    'Only an API that signs in by an OAuth 2.0 authorization code is connected in the browser.',
  );
}

function readSealed(ring: KeyRing, row: typeof stateRow, sealed: string): SecretFields {
  try {
    return unseal(ring, row, sealed);
  } catch {
    throw badState();
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function badState(): HandrailError {
  return new HandrailError(
    'invalid_request',
    'This connection was not begun in this browser, took too long, or is done already: begin again.',
  );
}
