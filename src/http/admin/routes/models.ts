import type { z } from 'zod';
import type { Model } from '../../../domain/models/model.ts';
import { createModel, deleteModel, findModel, updateModel } from '../../../registry/rules/models.ts';
import type { AppContext } from '../../app-context.ts';
import { modelRoutes, type modelResource } from '../../contract/models.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { only } from '../view-parts.ts';
import { versionOf } from '../views.ts';

/** The language models of the playground and of checks. */
export function bindModels({ registry, credentials, now }: AppContext): BoundRoute[] {
  const moment = () => ({ nowMs: now() });
  const { sealModelKey } = credentials;
  const view = (model: Model) => viewModel(model, credentials.modelKeyReference(model));
  return [
    bind(modelRoutes.list, ({ query }) => pageById([...registry.snapshot.models.values()], query, view)),
    bind(modelRoutes.create, async ({ body, actor }) => {
      const { prices, maxOutputTokens, key, ...fields } = body;
      const input = {
        ...fields,
        ...(prices !== undefined && { prices }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        ...(key !== undefined && { key }),
      };
      return view(await registry.commit(actor, () => createModel(input, sealModelKey, moment())));
    }),
    bind(modelRoutes.get, ({ params }) => view(findModel(registry.snapshot, params.model))),
    bind(modelRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const model = await registry.commit(actor, (snapshot) =>
        updateModel(snapshot, params.model, body, expectedRevision, sealModelKey, moment()),
      );
      return view(model);
    }),
    bind(modelRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteModel(snapshot, params.model));
    }),
  ];
}

/** A model as the admin API shows it. */
function viewModel(model: Model, keyReference: string | null): z.input<typeof modelResource> {
  return {
    ...versionOf(model),
    ...only(model, 'name', 'protocol', 'baseUrl', 'model', 'prices', 'maxOutputTokens'),
    hasKey: model.sealed !== undefined,
    ...(keyReference !== null && { keyReference }),
  };
}
