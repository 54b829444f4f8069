import type { z } from 'zod';
import { personCaller } from '../../../access/callers.ts';
import type { Account } from '../../../domain/account.ts';
import type { Api } from '../../../domain/api.ts';
import { mayUseTool } from '../../../domain/call.ts';
import { accountErrors } from '../../../domain/error-messages/accounts.ts';
import { HandrailError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/person.ts';
import { auditEntry } from '../../../registry/audit-entries.ts';
import { findApi } from '../../../registry/rules/find-and-revise.ts';
import { type accountResource, accountRoutes } from '../../contract/accounts.ts';
import { callbackPath } from '../../routes/oauth-callback.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { readCursor } from '../paging.ts';
import { time } from '../views.ts';

/** People's own accounts at APIs: each person's own, and for owners who connected one. */
export function bindAccounts(context: AppContext): BoundRoute[] {
  const { accounts, credentials, people, registry, serverRules, store, publicUrl, now } = context;

  const view = (api: Api, account: Account | null): z.input<typeof accountResource> => {
    const how = accounts.howToConnect(api);
    return {
      api: api.slug,
      name: api.name,
      ...(api.description !== undefined && { description: api.description }),
      how: how.kind,
      fields: how.kind === 'enter' ? [...how.fields] : [],
      optionalFields: how.kind === 'enter' ? [...how.optional] : [],
      status: account === null ? 'none' : statusOf(api, account),
      ...(account !== null && {
        connectedAt: time(account.createdAtMs),
        updatedAt: time(account.updatedAtMs),
      }),
    };
  };
  const statusOf = (api: Api, account: Account) =>
    accounts.fits(api, account) ? ('connected' as const) : ('outdated' as const);

  /** The APIs whose tools someone may use on any server. */
  async function usable(personId: string): Promise<ReadonlySet<string>> {
    const found = await people.personAtVersion(personId);
    const apis = new Set<string>();
    if (found === null) return apis;
    const person = personCaller(found);
    for (const server of registry.snapshot.servers.values()) {
      const served = server.enabled ? registry.snapshot.view(server.slug) : undefined;
      // Callers of an open server are unknown, so they have no account.
      if (served === undefined || server.policy.kind === 'open') continue;
      try {
        const caller = serverRules.apply(server, person);
        for (const { compiled } of served.tools)
          if (mayUseTool(caller, compiled.tool.id)) apis.add(compiled.api.id);
      } catch (error) {
        // Not open to this person.
        if (!(error instanceof HandrailError) || error.code !== 'forbidden') throw error;
      }
    }
    return apis;
  }

  /** An API that someone may connect to, or has; others are not found. */
  async function find(personId: string, reference: string): Promise<{ api: Api; account: Account | null }> {
    const api = accounts.findOffered(reference);
    const account = await accounts.find(personId, api.id);
    if (account === null && !(await usable(personId)).has(api.id))
      throw accountErrors.notOffered({ api: reference.slice(0, 100) });
    return { api, account };
  }

  return [
    bind(accountRoutes.list, async ({ admin }) => {
      const personId = personOf(admin);
      const own = new Map((await accounts.listOf(personId)).map((account) => [account.apiId, account]));
      const shown = await usable(personId);
      return {
        items: accounts
          .offered()
          .filter(({ id }) => shown.has(id) || own.has(id))
          .map((api) => view(api, own.get(api.id) ?? null)),
      };
    }),
    bind(accountRoutes.readLink, async ({ query, admin, actor }) => {
      const personId = personOf(admin);
      try {
        const api = accounts.readLink(query.link, personId);
        return view(api, await accounts.find(personId, api.id));
      } catch (error) {
        if (error instanceof HandrailError && error.code === 'forbidden')
          await store.audit.add([
            auditEntry(actor, now(), 'account.link_refused', { kind: 'account', id: personId }),
          ]);
        throw error;
      }
    }),
    bind(accountRoutes.get, async ({ params, admin }) => {
      const { api, account } = await find(personOf(admin), params.api);
      return view(api, account);
    }),
    bind(accountRoutes.enter, async ({ params, body, admin, actor }) => {
      const personId = personOf(admin);
      const { api } = await find(personId, params.api);
      return view(api, await accounts.enter(personId, api, body.fields, actor));
    }),
    bind(accountRoutes.connect, async ({ params, admin, actor, browser }) => {
      const personId = personOf(admin);
      const { api } = await find(personId, params.api);
      const redirectUri = publicUrl() + callbackPath;
      const mark = browser.connectMark();
      const authorizationUrl = await credentials.connectAccount(actor, personId, api, redirectUri, mark);
      return { authorizationUrl, redirectUri };
    }),
    bind(accountRoutes.remove, async ({ params, admin, actor }) => {
      const personId = personOf(admin);
      const { api } = await find(personId, params.api);
      await accounts.disconnect(personId, api, actor);
    }),
    bind(accountRoutes.listOfApi, async ({ params, query: { limit, cursor } }) => {
      const api = findApi(registry.snapshot, params.api);
      const afterId = cursor === undefined ? undefined : readCursor(cursor);
      const page = await accounts.connectedTo(api.id, { afterId, limit: limit + 1 });
      const shown = page.slice(0, limit);
      return {
        items: await Promise.all(
          shown.map(async (account) => ({
            person: {
              id: account.personId,
              name: (await people.read(account.personId))?.name ?? account.personId,
            },
            status: statusOf(api, account),
            connectedAt: time(account.createdAtMs),
            updatedAt: time(account.updatedAtMs),
          })),
        ),
        nextCursor: page.length > limit ? shown.at(-1)!.id : null,
      };
    }),
    bind(accountRoutes.removeOfApi, async ({ params, actor }) => {
      await accounts.disconnect(params.person, findApi(registry.snapshot, params.api), actor);
    }),
  ];
}

/** The person whose session or API token it is; the admin token belongs to no person. */
function personOf({ via, id, personId }: Principal): string {
  const person = via === 'token' ? personId : id;
  if (person === undefined) throw accountErrors.noPerson();
  return person;
}
