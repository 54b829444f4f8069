import { deleteAdmin, findAdmin, updateAdmin } from '../../../registry/rules/admins.ts';
import { adminRoutes } from '../../contract/admins.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { viewAdmin } from '../views.ts';

/** Inviting, changing and removing admins. */
export function bindAdmins({ admins, registry, now, publicUrl }: AppContext): BoundRoute[] {
  // After `#`, so that the token never reaches a server's log.
  const linkFor = (token: string) => `${publicUrl()}/admin/invitation#${token}`;
  return [
    bind(adminRoutes.list, ({ query }) =>
      pageById([...registry.snapshot.admins.values()], query, (admin) => viewAdmin(admin)),
    ),
    bind(adminRoutes.invite, async ({ body, actor }) => {
      const { admin, token } = await admins.invite(body, actor);
      return { ...viewAdmin(admin), invitationUrl: linkFor(token) };
    }),
    bind(adminRoutes.update, async ({ params, body, expectedRevision, actor }) =>
      viewAdmin(
        await registry.commit(actor, (snapshot) =>
          updateAdmin(snapshot, params.admin, body, expectedRevision, { nowMs: now() }),
        ),
      ),
    ),
    bind(adminRoutes.renew, async ({ params, actor }) => {
      const { admin, token } = await admins.invite({ adminId: params.admin }, actor);
      return { ...viewAdmin(admin), invitationUrl: linkFor(token) };
    }),
    bind(adminRoutes.signOut, async ({ params }) => {
      await admins.endSessions(findAdmin(registry.snapshot, params.admin).id);
    }),
    bind(adminRoutes.remove, async ({ params, actor }) => {
      const admin = await registry.commit(actor, (snapshot) => deleteAdmin(snapshot, params.admin));
      await admins.endSessions(admin.id);
    }),
  ];
}
