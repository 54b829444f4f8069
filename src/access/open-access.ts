import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { Registry } from '../registry/registry.ts';
import type { Store } from '../storage/ports.ts';
import type { IdentityProvider } from '../domain/identity-provider.ts';
import { settingsOf } from '../registry/settings.ts';
import { createSingleSignOn, type SingleSignOn } from './sso/single-sign-on.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { type AdminTokens, loadAdminTokens } from './admin-token.ts';
import { type People } from './people.ts';
import { createServerRules, identifyWithRules, type ServerRules } from './server-rules.ts';
import { createSecondFactors, type Sealing, type SecondFactors } from './second-factors/second-factors.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createIdentify, type Identify } from './callers.ts';
import type { GrantedTokens } from './tokens/granted-tokens.ts';
import { createKeyUses, type KeyUses } from './key-uses.ts';
import { createGrantedTokens } from './tokens/granted-tokens.ts';
import { createTokenCheck } from './tokens/oauth-tokens.ts';
import type { ClientSecretOf } from './tokens/token-audience.ts';

/** Authentication of people and callers. */
export interface Access {
  readonly adminTokens: AdminTokens;
  readonly people: People;
  /** What groups and people may use of a server; part of `identify`. */
  readonly serverRules: ServerRules;
  readonly signIn: SignIn;
  readonly secondFactors: SecondFactors;
  readonly singleSignOn: SingleSignOn;
  /** Who is calling a server. */
  readonly identify: Identify;
  readonly keyUses: KeyUses;
  /** The access tokens that the built-in authorization server issued. */
  readonly granted: GrantedTokens;
}

const syncKeyUsesEveryMs = 15_000;

/** Sets up authentication for people, and for callers with keys or OAuth tokens. */
export async function openAccess(options: {
  readonly config: Pick<Config, 'adminToken'>;
  readonly store: Store;
  readonly registry: Registry;
  readonly people: People;
  readonly fetch: FetchGuarded;
  readonly clientSecretOf: ClientSecretOf;
  readonly providerSecretOf: (provider: IdentityProvider) => string | null;
  /** Seals the secrets of authenticator apps. */
  readonly sealing: Sealing;
  /** Where clients reach this gateway. */
  readonly publicUrl: () => string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<Access> {
  const { config, store, registry, people, fetch, publicUrl, log, now, onClose } = options;
  const adminTokens = await loadAdminTokens(registry, config.adminToken);
  const singleSignOn = createSingleSignOn({
    fetch,
    meta: store.meta,
    secretOf: options.providerSecretOf,
    publicUrl,
    now,
  });

  const keyUses = createKeyUses(store.meta);
  await keyUses.sync();
  onClose(() => keyUses.sync());
  onClose(
    repeat(
      syncKeyUsesEveryMs,
      () => keyUses.sync(),
      (err) => log.error({ err }, 'storing the last use of access keys failed'),
    ),
  );
  const secondFactors = createSecondFactors({ store, sealing: options.sealing, publicUrl, now });
  const signIn = createSignIn({
    people,
    factors: secondFactors,
    store,
    tokens: adminTokens,
    snapshot: () => registry.snapshot,
    uses: keyUses,
    settings: () => settingsOf(registry.snapshot.settings),
    log,
    now,
  });
  const granted = createGrantedTokens({
    grants: store.grants,
    viewOf: (slug) => registry.snapshot.view(slug),
    people,
    now,
  });
  onClose(granted.close);
  const rules = createServerRules({ people, snapshot: () => registry.snapshot });
  const byProof = createIdentify({
    granted,
    snapshot: () => registry.snapshot,
    tokens: createTokenCheck(fetch, options.clientSecretOf, now),
    uses: keyUses,
    publicUrl,
    now,
  });
  const identify = identifyWithRules(byProof, rules);
  return {
    adminTokens,
    people,
    serverRules: rules,
    signIn,
    secondFactors,
    singleSignOn,
    identify,
    keyUses,
    granted,
  };
}
