import type { z } from 'zod';
import { isDomainAllowed } from '../../../access/sso/allowed-domains.ts';
import { toHandrailError } from '../../../domain/errors.ts';
import type { IdentityProvider } from '../../../domain/identity-provider.ts';
import { highestRole } from '../../../domain/person.ts';
import {
  createIdentityProvider,
  deleteIdentityProvider,
  findIdentityProvider,
  updateIdentityProvider,
} from '../../../registry/rules/identity-providers.ts';
import { settingsOf } from '../../../registry/settings.ts';
import type { AppContext } from '../../app-context.ts';
import { type identityProviderResource, identityProviderRoutes } from '../../contract/identity-providers.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { only } from '../view-parts.ts';
import { time, versionOf } from '../views.ts';

/** Identity providers, and trying them out. */
export function bindIdentityProviders(context: AppContext): BoundRoute[] {
  const { registry, credentials, people, singleSignOn, publicUrl, now } = context;
  const moment = () => ({ nowMs: now() });
  const view = (provider: IdentityProvider): z.input<typeof identityProviderResource> => ({
    ...versionOf(provider),
    ...only(provider, 'slug', 'name', 'issuer', 'clientId', 'groupsClaim', 'enabled'),
    ...(provider.scopes && { scopes: [...provider.scopes] }),
    ...(provider.allowedDomains && { allowedDomains: [...provider.allowedDomains] }),
    hasSecret: provider.sealed !== undefined,
    redirectUri: singleSignOn.redirectUriOf(provider),
  });
  const find = (reference: string) => findIdentityProvider(registry.snapshot, reference);
  return [
    bind(identityProviderRoutes.options, () => ({
      passwords: settingsOf(registry.snapshot.settings).passwordSignIn ?? 'everyone',
      providers: [...registry.snapshot.identityProviders.values()]
        .filter(({ enabled }) => enabled)
        .map(({ name, slug }) => ({ name, startUrl: `${publicUrl()}/sso/${slug}/start` })),
    })),
    bind(identityProviderRoutes.list, ({ query }) =>
      pageById([...registry.snapshot.identityProviders.values()], query, view),
    ),
    bind(identityProviderRoutes.get, ({ params }) => view(find(params.provider))),
    bind(identityProviderRoutes.create, async ({ body, actor }) =>
      view(
        await registry.commit(actor, (snapshot) =>
          createIdentityProvider(snapshot, defined(body), credentials.sealProviderSecret, moment()),
        ),
      ),
    ),
    bind(identityProviderRoutes.update, async ({ params, body, expectedRevision, actor }) =>
      view(
        await registry.commit(actor, (snapshot) =>
          updateIdentityProvider(
            snapshot,
            params.provider,
            body,
            expectedRevision,
            credentials.sealProviderSecret,
            moment(),
          ),
        ),
      ),
    ),
    bind(identityProviderRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteIdentityProvider(snapshot, params.provider));
    }),
    bind(identityProviderRoutes.test, async ({ params }) => {
      const provider = find(params.provider);
      const redirectUri = singleSignOn.redirectUriOf(provider);
      try {
        const metadata = await singleSignOn.discover(provider);
        return { redirectUri, metadata, trialUrl: await singleSignOn.trialUrl(provider) };
      } catch (thrown) {
        const error = toHandrailError(thrown);
        if (error.code === 'internal') throw error;
        return { redirectUri, problem: error.message };
      }
    }),
    bind(identityProviderRoutes.trial, async ({ params }) => {
      const provider = find(params.provider);
      const trial = await singleSignOn.readTrial(provider);
      if (trial === null) return { values: [], groups: [], role: 'none' as const, allowed: false };
      const ids = new Set(people.groupsOfClaims(provider.issuer, trial.facts.values));
      const groups = people.groups().filter((group) => ids.has(group.id));
      return {
        at: time(trial.atMs),
        claims: trial.claims,
        values: [...trial.facts.values],
        groups: groups.map(({ name }) => name),
        role: highestRole(groups.map((group) => group.role ?? 'none')),
        allowed: isDomainAllowed(provider, trial.facts),
      };
    }),
  ];
}

/** The same without keys whose value is undefined. */
function defined<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only keys of the type are left
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
