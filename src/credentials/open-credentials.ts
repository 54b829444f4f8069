import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { isEmbedded } from '../config/store-location.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Model } from '../domain/models/model.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { maskLog } from '../lib/log.ts';
import { isAccountId } from '../domain/account.ts';
import { secretsWouldTravel } from '../registry/rules/apis.ts';
import type { RegistryLag } from '../registry/follow-changes.ts';
import type { Registry } from '../registry/registry.ts';
import type { AccountStore, LeaseStore, MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import type { CallerIdentities } from './caller-identity.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { createCredentialActions, type CredentialActions } from './credential-actions.ts';
import { commandWords, createSecretReferences, type SecretReferences } from './resolve-references.ts';
import { createCredentialFinder, type CredentialFinder } from './find-credential.ts';
import { loadMasterKey } from './master-key.ts';
import { createRenewals, type Renewals } from './renewals.ts';
import { createOAuthClient } from './schemes/oauth2.ts';
import type { KeyRing } from './seal.ts';

/** The secrets for calling APIs: how operators manage them, and how a call finds its own. */
export interface Credentials {
  readonly actions: CredentialActions;
  readonly finder: CredentialFinder;
  readonly accounts: Accounts;
  readonly renewals: Pick<Renewals, 'counts'>;
}

/** Loads the master keys, and logs a warning if there is a problem with them. */
export async function openKeyRing(options: {
  readonly config: Pick<Config, 'secretKey' | 'secretCommand' | 'dataDir' | 'databaseUrl'>;
  readonly meta: MetaStore;
  readonly log: Logger;
}): Promise<KeyRing> {
  const { config, meta, log } = options;
  const { ring, warning } = await loadMasterKey({
    ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
    ...(config.secretCommand !== undefined && { secretCommand: config.secretCommand }),
    dataDir: isEmbedded(config) ? config.dataDir : null,
    meta,
  });
  if (warning !== null) log.warn(warning);
  return ring;
}

/** The keys of all models that can be opened; read again when a model changes. */
function createModelKeys(
  models: () => ReadonlyMap<string, Model>,
  keyOf: (model: Model) => string | null,
  references: Pick<SecretReferences, 'version'>,
): () => readonly string[] {
  let held: {
    readonly from: ReadonlyMap<string, Model>;
    readonly version: number;
    readonly keys: readonly string[];
  } | null = null;
  const readable = (model: Model): string[] => {
    try {
      return [keyOf(model) ?? []].flat();
    } catch (error) {
      // A key that cannot be opened cannot leak either.
      if (error instanceof HandrailError) return [];
      throw error;
    }
  };
  return () => {
    const from = models();
    if (held?.from !== from || held.version !== references.version) {
      const keys = [...from.values()].flatMap(readable);
      held = { from, version: references.version, keys };
    }
    return held.keys;
  };
}

/** Sets up everything for stored secrets, and masks them in the log. */
export async function openCredentials(options: {
  readonly config: Pick<
    Config,
    'secretKey' | 'secretReferences' | 'secretCommand' | 'dataDir' | 'databaseUrl'
  >;
  readonly ring: KeyRing;
  readonly meta: MetaStore;
  readonly leases: LeaseStore;
  readonly accounts: AccountStore;
  readonly identities: CallerIdentities;
  readonly isActive: (personId: string) => Promise<boolean>;
  readonly publicUrl: () => string;
  readonly registry: Registry;
  readonly lag: RegistryLag;
  readonly fetch: FetchGuarded;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<Credentials> {
  const { config, ring, meta, leases, registry, lag, fetch, log, now, onClose } = options;
  const dataDir = isEmbedded(config) ? config.dataDir : null;
  const oauth = createOAuthClient(fetch, now);
  const references = createSecretReferences({
    allow: config.secretReferences,
    command: commandWords(config.secretCommand),
    now,
  });
  const accounts = createAccounts({
    store: options.accounts,
    registry,
    ring,
    publicUrl: options.publicUrl,
    now,
  });
  removeWithApis(registry, options.accounts, log);
  const actions = createCredentialActions({
    accounts,
    isActive: options.isActive,
    registry,
    ring,
    references,
    finder: () => finder,
    oauth,
    fetch,
    meta,
    keyDir: config.secretKey === undefined ? dataDir : null,
    now,
  });
  const renewals = createRenewals({
    leases,
    sync: (id) => (isAccountId(id) ? accounts.sync(id) : registry.sync()),
    steadyMs: lag.steadyMs,
    revisionOf: (id) => (registry.snapshot.credentials.get(id) ?? accounts.current(id))?.revision,
    saveFields: (id, fields, revision) =>
      isAccountId(id) ? accounts.saveTokens(id, fields, revision) : actions.saveFields(id, fields, revision),
    log,
    now,
    onClose,
  });
  const finder = createCredentialFinder({
    credentials: () => registry.snapshot.credentials,
    modelKeys: createModelKeys(() => registry.snapshot.models, actions.knownModelKeyOf, references),
    isUnread: (apiId, callerId) => registry.snapshot.setAside.credentialOf(apiId, callerId) !== undefined,
    ring,
    references,
    fetch,
    oauth,
    now,
    renewals,
    accounts,
    identities: options.identities,
  });
  maskLog(log, finder.allSecrets);
  return { actions, finder, accounts, renewals };
}

/** Removes the accounts of an API that is deleted, or whose secrets would be sent elsewhere; calls don't use them anyway. */
function removeWithApis(registry: Registry, store: AccountStore, log: Logger): void {
  const failed = (err: unknown) => log.error({ err }, 'accounts of a changed API could not be removed');
  registry.onChange((after, before, changes) => {
    for (const change of changes) {
      if (change.kind !== 'api') continue;
      const id = change.op === 'put' ? change.entity.id : change.id;
      const [was, is] = [before.apis.get(id), after.apis.get(id)];
      if (was !== undefined && (is === undefined || secretsWouldTravel(was, is)))
        store.removeOfApi(id).catch(failed);
    }
  });
  // Whatever was left behind by a process that ended in between.
  store.removeOrphans().catch(failed);
}
