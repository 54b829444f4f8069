import { deleteSetAside } from '../../../registry/rules/delete-set-aside.ts';
import { setAsideRoutes } from '../../contract/set-aside.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { viewSetAside } from '../views.ts';

const maxListed = 500;

/** Listing and deleting stored rows that cannot be read. */
export function bindSetAside({ registry }: AppContext): BoundRoute[] {
  return [
    bind(setAsideRoutes.list, () => {
      const { rows } = registry.snapshot.setAside;
      return { items: rows.slice(0, maxListed).map(viewSetAside), total: rows.length };
    }),
    bind(setAsideRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteSetAside(snapshot, params.kind, params.id));
    }),
  ];
}
