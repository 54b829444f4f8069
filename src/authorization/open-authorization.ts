import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import type { People } from '../access/people.ts';
import type { GrantedTokens } from '../access/tokens/granted-tokens.ts';
import { handrailItself } from '../domain/audit.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServerView } from '../registry/snapshot.ts';
import { resourceOf } from '../access/callers.ts';
import type { Store } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { type ConnectedApps, createConnectedApps } from './connected-apps.ts';
import type { LoadedProvider, ProviderOptions } from './provider.ts';
import type { RegistrationReply } from './register-client.ts';
import { serverOfResource, signInServers } from './resources.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The built-in authorization server. Its library is loaded with the first sign-in. */
export interface Authorization {
  readonly apps: ConnectedApps;
  readonly signingKeys: SigningKeys;
  /** Whether any server uses it; otherwise it has no addresses. */
  isUsed(): boolean;
  /** The server that a resource indicator names. */
  serverOf(resource: string): ServerView | undefined;
  load(pages: Pick<ProviderOptions, 'errorPage' | 'allowFetch'>): Promise<LoadedProvider>;
  register(
    pages: Pick<ProviderOptions, 'errorPage' | 'allowFetch'>,
    metadata: unknown,
  ): Promise<RegistrationReply>;
}

const tidyEveryMs = 60_000;
/** What anyone can make: sign-ins under way, and client assertions that were used. Of everyone together. */
const bounded = ['Interaction', 'ReplayDetection'];
const maxOfEach = 5_000;

/** Sets up the authorization server without loading it. */
export function openAuthorization(options: {
  readonly config: Pick<Config, 'clientDocuments'>;
  readonly signingKeys: SigningKeys;
  readonly store: Pick<Store, 'grants' | 'audit'>;
  readonly registry: Registry;
  /** For addresses that strangers name. */
  readonly fetchPublic: FetchGuarded;
  readonly granted: GrantedTokens;
  readonly people: Pick<People, 'personAtVersion'>;
  readonly publicUrl: () => string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Authorization {
  const { signingKeys, store, registry, fetchPublic, granted, people, publicUrl, log, now, onClose } =
    options;
  const { grants } = store;
  const apps = createConnectedApps({ grants, audit: store.audit, granted, now });
  const viewOf = (slug: string): ServerView | undefined => registry.snapshot.view(slug);
  const serverOf = (resource: string) => serverOfResource(resource, publicUrl(), viewOf);
  let loaded: { readonly issuer: string; readonly provider: Promise<LoadedProvider> } | null = null;

  async function create(
    issuer: string,
    pages: Pick<ProviderOptions, 'errorPage' | 'allowFetch'>,
  ): Promise<LoadedProvider> {
    const [{ createProvider }, { createClientFetch }, keys, cookieKey] = await Promise.all([
      import('./provider.ts'),
      import('./client-fetch.ts'),
      signingKeys.keys(),
      signingKeys.cookieKey(),
    ]);
    return createProvider({
      ...pages,
      issuer,
      keys,
      cookieKey,
      grants,
      people,
      serverOf,
      onlyResource() {
        const [only, ...others] = signInServers(registry.snapshot);
        return only !== undefined && others.length === 0 ? resourceOf(only, issuer) : undefined;
      },
      fetch: createClientFetch(fetchPublic, now),
      clientDocuments: options.config.clientDocuments,
      onEnded: granted.recheck,
      async onReuse(grantId, personId, what) {
        const person = personId === undefined ? null : await people.personAtVersion(personId);
        await apps.note(
          handrailItself,
          'connected_app.reuse',
          { id: grantId, name: person?.name ?? what },
          { used_twice: what },
        );
      },
      onTrouble: (err) => log.error({ err }, 'a sign-in failed'),
      now,
    });
  }

  /** Unfinished sign-ins, and apps that expired, are removed while there are any. */
  function tidyUp(): void {
    onClose(
      repeat(
        tidyEveryMs,
        async () => {
          for (const kind of bounded) await grants.removeEnded(now(), { kind, max: maxOfEach });
        },
        (err) => log.error({ err }, 'expired sign-ins could not be removed'),
      ),
    );
  }

  return {
    apps,
    signingKeys,
    isUsed: () => signInServers(registry.snapshot).length > 0,
    serverOf,
    load(pages) {
      const issuer = publicUrl();
      if (loaded?.issuer !== issuer) {
        if (loaded === null) tidyUp();
        const provider = create(issuer, pages);
        loaded = { issuer, provider };
        // The next sign-in tries again.
        provider.catch(() => (loaded = null));
      }
      return loaded.provider;
    },
    async register(pages, metadata) {
      const { provider } = await this.load(pages);
      const { registerClient } = await import('./register-client.ts');
      return registerClient(provider, grants, metadata, now());
    },
  };
}
