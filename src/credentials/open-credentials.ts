import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { isEmbedded } from '../config/store-location.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Model } from '../domain/models/model.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { maskLog } from '../lib/log.ts';
import type { RegistryLag } from '../registry/follow-changes.ts';
import type { Registry } from '../registry/registry.ts';
import type { LeaseStore, MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
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
  const actions = createCredentialActions({
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
    sync: () => registry.sync(),
    steadyMs: lag.steadyMs,
    revisionOf: (id) => registry.snapshot.credentials.get(id)?.revision,
    saveFields: actions.saveFields,
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
  });
  maskLog(log, finder.allSecrets);
  return { actions, finder, renewals };
}
