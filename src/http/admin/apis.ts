import type { Api } from '../../domain/api.ts';
import { mask } from '../../lib/mask-secrets.ts';
import { createApi, deleteApi, updateApi, type ApiPatch } from '../../registry/apis.ts';
import { findApi } from '../../registry/rules.ts';
import { apiRoutes } from '../contract/apis.ts';
import type { Serving } from '../serving.ts';
import { bind, type BoundRoute } from './bind.ts';
import { pageById } from './paging.ts';
import { viewApi } from './views.ts';

/** Registering, editing and deleting APIs. */
export function bindApis({ registry, health, now }: Serving): BoundRoute[] {
  const moment = () => ({ nowMs: now() });
  return [
    bind(apiRoutes.list, ({ query }) => {
      const { snapshot } = registry;
      const wanted = query.search?.toLowerCase();
      const rows = [...snapshot.apis.values()].filter(
        (api) =>
          wanted === undefined || `${api.slug} ${api.name} ${api.baseUrl}`.toLowerCase().includes(wanted),
      );
      return pageById(rows, query, (api) => viewApi(snapshot, api, health));
    }),
    bind(apiRoutes.create, async ({ body }) => {
      const api = await registry.commit((snapshot) => createApi(snapshot, body, moment()));
      return viewApi(registry.snapshot, api, health);
    }),
    bind(apiRoutes.get, ({ params }) =>
      viewApi(registry.snapshot, findApi(registry.snapshot, params.api), health),
    ),
    bind(apiRoutes.update, async ({ params, body, expectedRevision }) => {
      const api = await registry.commit((snapshot) =>
        updateApi(
          snapshot,
          params.api,
          unmask(body, findApi(snapshot, params.api)),
          expectedRevision,
          moment(),
        ),
      );
      return viewApi(registry.snapshot, api, health);
    }),
    bind(apiRoutes.remove, async ({ params }) => {
      await registry.commit((snapshot) => deleteApi(snapshot, params.api, moment()));
    }),
  ];
}

// Whoever sends back what they were shown leaves the masked values as they are.
function unmask(patch: ApiPatch, current: Api): ApiPatch {
  if (patch.headers === undefined) return patch;
  const headers = Object.entries(patch.headers).map(([name, value]) => [
    name,
    value === mask ? (current.headers[name] ?? value) : value,
  ]);
  return { ...patch, headers: Object.fromEntries(headers) as Record<string, string> };
}
