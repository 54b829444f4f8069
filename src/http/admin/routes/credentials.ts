import { findCredential } from '../../../registry/rules/credentials.ts';
import { findApi } from '../../../registry/rules/find-and-revise.ts';
import { credentialRoutes } from '../../contract/credentials.ts';
import { callbackPath, startPath } from '../../routes/oauth-callback.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { viewCredential } from '../views.ts';

/** Storing, testing and connecting credentials; their values are never returned. */
export function bindCredentials({
  registry,
  credentials,
  secondFactors,
  publicUrl,
}: AppContext): BoundRoute[] {
  return [
    bind(credentialRoutes.list, ({ query }) => {
      const { snapshot } = registry;
      const apiId = query.api === undefined ? undefined : findApi(snapshot, query.api).id;
      const rows = [...snapshot.credentials.values()].filter(
        (row) => apiId === undefined || row.apiId === apiId,
      );
      return pageById(rows, query, (credential) => viewCredential(snapshot, credential));
    }),
    bind(credentialRoutes.set, async ({ body, actor }) => {
      const credential = await credentials.set(body, actor);
      return viewCredential(registry.snapshot, credential);
    }),
    bind(credentialRoutes.testDraft, ({ body: { path, ...input } }) => credentials.testDraft(input, path)),
    bind(credentialRoutes.get, ({ params }) =>
      viewCredential(registry.snapshot, findCredential(registry.snapshot, params.credential)),
    ),
    bind(credentialRoutes.remove, ({ params, actor }) => credentials.remove(params.credential, actor)),
    bind(credentialRoutes.test, ({ params, body }) => credentials.test(params.credential, body.path)),
    bind(credentialRoutes.connect, async ({ params, browser }) => {
      const redirectUri = publicUrl() + callbackPath;
      const mark = browser.connectMark();
      const { authorizationUrl, ticket } = await credentials.connect(params.credential, redirectUri, mark);
      return { authorizationUrl, startUrl: `${publicUrl()}${startPath}?ticket=${ticket}`, redirectUri };
    }),
    bind(credentialRoutes.rotateKey, async ({ body, actor }) => {
      const { unreadable, resealed, ...rest } = await credentials.rotateKey(body, actor);
      const factors = await secondFactors.reseal();
      return {
        ...rest,
        resealed: resealed + factors.resealed,
        unreadable: [...unreadable, ...factors.unreadable],
      };
    }),
  ];
}
