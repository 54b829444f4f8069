import type { z } from 'zod';
import type { ListedApp } from '../../../authorization/connected-apps.ts';
import { type Principal, roleAllows } from '../../../domain/person.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { type connectedAppResource, connectedAppRoutes } from '../../contract/connected-apps.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';

/** Listing and disconnecting the apps that people signed in with. */
export function bindConnectedApps({ authorization, people, registry }: AppContext): BoundRoute[] {
  const { apps } = authorization;
  const view = async (app: ListedApp): Promise<z.input<typeof connectedAppResource>> => ({
    id: app.id,
    name: app.name,
    ...(app.domain !== undefined && { domain: app.domain }),
    ...(app.redirectsTo !== undefined && { redirectsTo: app.redirectsTo }),
    clientId: app.clientId,
    person: { id: app.personId, name: (await people.personAtVersion(app.personId))?.name ?? app.personId },
    server: registry.snapshot.servers.get(app.serverId)?.slug ?? app.serverId,
    kinds: [...app.consent.kinds],
    except: [...app.consent.except],
    also: [...app.consent.also],
    createdAt: time(app.createdAtMs),
    ...(app.usedAtMs !== null && { lastUsedAt: time(app.usedAtMs) }),
    expiresAt: time(app.expiresAtMs),
  });
  /** Whose apps this admin may see; undefined means everyone's. */
  const ownOnly = ({ id, role }: Principal): string | undefined =>
    roleAllows(role, 'owner') ? undefined : id;

  return [
    bind(connectedAppRoutes.list, async ({ query, admin }) => {
      const own = ownOnly(admin);
      const personId = own ?? (query.person === 'me' ? admin.id : query.person);
      const beforeMs = query.cursor === undefined ? undefined : Number(query.cursor);
      if (beforeMs !== undefined && !Number.isSafeInteger(beforeMs)) throw adminApiErrors.invalidCursor();
      const items = await apps.list({ personId, limit: query.limit, beforeMs });
      const isLast = items.length < query.limit;
      return {
        items: await Promise.all(items.map(view)),
        nextCursor: isLast ? null : String(items.at(-1)!.createdAtMs),
      };
    }),
    bind(connectedAppRoutes.get, async ({ params, admin }) =>
      view(await apps.find(params.app, ownOnly(admin))),
    ),
    bind(connectedAppRoutes.remove, async ({ params, admin, actor }) => {
      await apps.revoke(params.app, actor, ownOnly(admin));
    }),
  ];
}
