import type { z } from 'zod';
import type { Api, ApiSource, DocumentOverlay } from '../../../domain/api.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { mask } from '../../../lib/secrets/mask-secrets.ts';
import { createApi, deleteApi, updateApi, type ApiPatch } from '../../../registry/rules/apis.ts';
import { findApi } from '../../../registry/rules/find-and-revise.ts';
import { apiRoutes } from '../../contract/apis.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { nullsToUndefined } from '../nulls-to-undefined.ts';
import { pageById } from '../paging.ts';
import { viewApi } from '../views.ts';

/** Registering, editing and deleting APIs. */
export function bindApis({ registry, health, sourceChecks, credentials, now }: AppContext): BoundRoute[] {
  const moment = () => ({ nowMs: now() });
  const viewOne = async (api: Api) =>
    viewApi(registry.snapshot, api, health, await sourceChecks.last(api.id));
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
    bind(apiRoutes.create, async ({ body, actor }) => {
      const api = await registry.commit(actor, (snapshot) => createApi(snapshot, body, moment()));
      return viewOne(api);
    }),
    bind(apiRoutes.get, ({ params }) => viewOne(findApi(registry.snapshot, params.api))),
    bind(apiRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const api = await registry.commit(actor, (snapshot) =>
        updateApi(
          snapshot,
          params.api,
          readPatch(body, findApi(snapshot, params.api)),
          expectedRevision,
          moment(),
        ),
      );
      return viewOne(api);
    }),
    bind(apiRoutes.agreeToOrigin, async ({ params, body, actor }) =>
      viewOne(
        await registry.commit(actor, (snapshot) =>
          credentials.decideOrigins(snapshot, params.api, [body.origin], body.agree),
        ),
      ),
    ),
    bind(apiRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteApi(snapshot, params.api, moment()));
    }),
  ];
}

type ApiBody = z.output<(typeof apiRoutes.update)['body']>;

function readPatch({ watchEveryMs, approveChanges, overlays, ...body }: ApiBody, current: Api): ApiPatch {
  const patch: ApiPatch = unmask(nullsToUndefined(body), current);
  if (watchEveryMs === undefined && approveChanges === undefined && overlays === undefined) return patch;
  const { source } = current;
  if (source === undefined || (source.url === undefined && typeof watchEveryMs === 'number')) {
    throw adminApiErrors.nothingToWatch(
      { slug: current.slug },
      { problems: [{ path: '/watchEveryMs', message: 'needs a source URL' }] },
    );
  }
  const { watchEveryMs: watchedEveryMs, overlays: stored, ...rest } = source;
  const kept = overlays === undefined ? stored : readOverlays(overlays, source);
  const every = watchEveryMs === undefined ? watchedEveryMs : watchEveryMs;
  return {
    ...patch,
    source: {
      ...rest,
      ...(typeof every === 'number' && { watchEveryMs: every }),
      ...(approveChanges !== undefined && { approveChanges }),
      ...(kept !== undefined && kept.length > 0 && { overlays: kept }),
    },
  };
}

function readOverlays(given: NonNullable<ApiBody['overlays']>, source: ApiSource): DocumentOverlay[] {
  return given.map(({ name, text }, at) => {
    const known = text ?? source.overlays?.find((overlay) => overlay.name === name)?.text;
    if (known !== undefined) return { name, text: known };
    throw adminApiErrors.unknownOverlay(
      { name },
      {
        problems: [{ path: `/overlays/${at}/text`, message: 'is missing' }],
      },
    );
  });
}

// A client that sends masked values back leaves them unchanged.
function unmask(patch: ApiPatch, current: Api): ApiPatch {
  if (patch.headers === undefined) return patch;
  const headers = Object.entries(patch.headers).map(
    ([name, value]) => [name, value === mask ? (current.headers[name] ?? value) : value] as const,
  );
  return { ...patch, headers: Object.fromEntries(headers) };
}
