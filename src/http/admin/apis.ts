import { createApi, deleteApi, updateApi } from '../../registry/apis.ts';
import { findApi } from '../../registry/rules.ts';
import { apiRoutes } from '../contract/apis.ts';
import type { Serving } from '../serving.ts';
import { bind, type BoundRoute } from './bind.ts';
import { pageById } from './paging.ts';
import { viewApi } from './views.ts';

/** Registering, editing and deleting APIs. */
export function bindApis({ registry, now }: Serving): BoundRoute[] {
  const moment = () => ({ nowMs: now() });
  return [
    bind(apiRoutes.list, ({ query }) => {
      const { snapshot } = registry;
      const wanted = query.search?.toLowerCase();
      const rows = [...snapshot.apis.values()].filter(
        (api) =>
          wanted === undefined || `${api.slug} ${api.name} ${api.baseUrl}`.toLowerCase().includes(wanted),
      );
      return pageById(rows, query, (api) => viewApi(snapshot, api));
    }),
    bind(apiRoutes.create, async ({ body }) => {
      const api = await registry.commit((snapshot) => createApi(snapshot, body, moment()));
      return viewApi(registry.snapshot, api);
    }),
    bind(apiRoutes.get, ({ params }) => viewApi(registry.snapshot, findApi(registry.snapshot, params.api))),
    bind(apiRoutes.update, async ({ params, body, expectedRevision }) => {
      const api = await registry.commit((snapshot) =>
        updateApi(snapshot, params.api, body, expectedRevision, moment()),
      );
      return viewApi(registry.snapshot, api);
    }),
    bind(apiRoutes.remove, async ({ params }) => {
      await registry.commit((snapshot) => deleteApi(snapshot, params.api, moment()));
    }),
  ];
}
