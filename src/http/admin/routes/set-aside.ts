import { deleteSetAside } from '../../../registry/rules/delete-set-aside.ts';
import { setAsideRoutes } from '../../contract/set-aside.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { viewSetAside } from '../views.ts';

const maxListed = 500;

/** Listing and deleting stored rows that cannot be read. */
export function bindSetAside({ registry, people, store }: AppContext): BoundRoute[] {
  return [
    bind(setAsideRoutes.list, async () => {
      const rows = [...registry.snapshot.setAside.rows, ...(await store.people.unreadable(maxListed))];
      return { items: rows.slice(0, maxListed).map(viewSetAside), total: rows.length };
    }),
    bind(setAsideRoutes.remove, async ({ params, actor }) => {
      const { kind, id } = params;
      if (kind === 'person' || kind === 'group') await people.removeUnreadable(actor, kind, id);
      else await registry.commit(actor, (snapshot) => deleteSetAside(snapshot, kind, id));
    }),
  ];
}
