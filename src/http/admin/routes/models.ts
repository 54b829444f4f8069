import type { z } from 'zod';
import type { Model } from '../../../domain/models/model.ts';
import { createModel, deleteModel, findModel, updateModel } from '../../../registry/rules/models.ts';
import { HandrailError } from '../../../domain/errors.ts';
import { tidyText } from '../../../lib/text/tidy-text.ts';
import { createAskModel } from '../../../playground/ask-model.ts';
import type { Turn } from '../../../playground/messages.ts';
import type { AppContext } from '../../app-context.ts';
import { modelRoutes, type modelResource } from '../../contract/models.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { only } from '../view-parts.ts';
import { versionOf } from '../views.ts';

const testTimeoutMs = 30_000;
const testTurn: Turn = {
  system: null,
  messages: [{ role: 'user', text: 'Answer with the word: ready' }],
  tools: [],
};

/** The language models of the playground and of checks. */
export function bindModels({ registry, credentials, fetch, now }: AppContext): BoundRoute[] {
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
    bind(modelRoutes.test, async ({ params, signal }) => {
      const model = findModel(registry.snapshot, params.model);
      const startedAtMs = now();
      const answered = (ok: boolean, message: string) => ({
        ok,
        message: tidyText(message, 300),
        durationMs: now() - startedAtMs,
      });
      try {
        const ask = createAskModel(fetch, model, await credentials.modelKeyOf(model));
        const { text } = await ask(testTurn, () => {}, { timeoutMs: testTimeoutMs, signal });
        return answered(true, text);
      } catch (error) {
        if (error instanceof HandrailError) return answered(false, error.message);
        throw error;
      }
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
