import { z } from 'zod';
import { modelFields } from '../../domain/models/model.ts';
import { pageOf, pageQuery, versioned } from './common.ts';
import { fieldsFromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const fields = fieldsFromDomain(modelFields);
const key = z
  .string()
  .min(1)
  .max(10_000)
  .describe(
    'API key of the model; stored sealed, sent only to its address, never shown again. Or a reference to it, such as ${env:SECRET_OPENAI}.',
  );

/** A model as the admin API shows it: without its key. */
export const modelResource = z
  .object({
    ...versioned,
    ...fields,
    prices: fields.prices.optional(),
    maxOutputTokens: fields.maxOutputTokens.optional(),
    hasKey: z.boolean(),
    keyReference: z
      .string()
      .optional()
      .describe('Where the key is, such as ${env:SECRET_OPENAI}; absent if the key itself is stored.'),
  })
  .meta({ id: 'Model' });

const id = '/models/:model';

export const modelRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/models',
    id: 'listModels',
    tag: 'models',
    access: 'viewer',
    summary: 'List the language models for the playground and checks',
    status: 200,
    query: pageQuery,
    reply: pageOf(modelResource),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/models',
    id: 'createModel',
    tag: 'models',
    access: 'editor',
    summary: 'Add a language model, at an OpenAI- or Anthropic-compatible address',
    status: 201,
    body: z.strictObject({
      ...fields,
      prices: fields.prices.optional(),
      maxOutputTokens: fields.maxOutputTokens.optional(),
      key: key.optional(),
    }),
    reply: modelResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: id,
    id: 'getModel',
    tag: 'models',
    access: 'viewer',
    summary: 'Show one language model',
    status: 200,
    reply: modelResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: id,
    id: 'updateModel',
    tag: 'models',
    access: 'editor',
    summary: 'Edit a language model; null removes its prices, limit or key',
    status: 200,
    body: z
      .strictObject({
        ...fields,
        prices: fields.prices.nullable(),
        maxOutputTokens: fields.maxOutputTokens.nullable(),
        key: key.nullable(),
      })
      .partial(),
    reply: modelResource,
  }),
  test: defineRoute({
    method: 'POST',
    path: `${id}/test`,
    id: 'testModel',
    tag: 'models',
    access: 'editor',
    summary: 'Ask a language model for one word, and report whether it answered',
    status: 200,
    reply: z.object({
      ok: z.boolean(),
      message: z.string().describe('The start of its answer, or why there is none.'),
      durationMs: z.number(),
    }),
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: id,
    id: 'deleteModel',
    tag: 'models',
    access: 'editor',
    summary: 'Delete a language model and its key',
    status: 204,
  }),
};
