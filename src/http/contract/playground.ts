import { z } from 'zod';
import { listModes } from '../../domain/server.ts';
import { slug } from './common.ts';
import { defineRoute } from './route.ts';

const longText = z.string().max(2_000_000);

/** Proposed descriptions and instructions, to try with a model before applying them. */
export const draft = z
  .strictObject({
    descriptions: z
      .record(z.string().max(64), z.string().max(100_000))
      .optional()
      .describe('Tool descriptions, by the names of the tools on the server.'),
    instructions: z.string().max(100_000).nullish().describe('Server instructions; null for none.'),
    import: z
      .strictObject({
        api: slug.optional().describe('Slug of the API to import into or create.'),
        url: z.string().max(4_000).optional(),
        text: z.string().max(20_000_000).optional().describe('The document itself.'),
        overlays: z
          .array(z.strictObject({ name: z.string().min(1).max(500), text: z.string().min(1).max(2_000_000) }))
          .max(20)
          .optional()
          .describe('OpenAPI Overlays, applied to the document before it is read.'),
      })
      .optional()
      .describe(
        'A document that is not imported yet; without url or text, it is read from the API’s source.',
      ),
  })
  .meta({ id: 'Draft' });

export const chatMessage = z
  .discriminatedUnion('role', [
    z.strictObject({ role: z.literal('user'), text: longText }),
    z.strictObject({
      role: z.literal('assistant'),
      text: longText,
      calls: z
        .array(
          z.strictObject({
            id: z.string().min(1).max(200),
            name: z.string().min(1).max(200),
            arguments: longText.describe('JSON, as the model wrote it.'),
          }),
        )
        .max(128),
    }),
    z.strictObject({
      role: z.literal('tool'),
      callId: z.string().min(1).max(200),
      name: z.string().min(1).max(200),
      text: longText,
      failed: z.boolean(),
    }),
  ])
  .meta({ id: 'ChatMessage' });

export const playgroundRoutes = {
  ask: defineRoute({
    method: 'POST',
    path: '/servers/:server/ask',
    id: 'askModel',
    tag: 'playground',
    access: 'editor',
    summary:
      'Let a language model answer a question with the tools of a server; streams the server-sent events begin, turn, text, call, called, usage, error and end',
    status: 200,
    maxBodyBytes: 64 * 1024 * 1024,
    body: z.strictObject({
      model: z.string().min(1).max(200).describe('Id or name of the model.'),
      mode: z
        .enum(listModes)
        .optional()
        .describe('How the server lists its tools; by default, as for clients that do not choose a mode.'),
      messages: z
        .array(chatMessage)
        .min(1)
        .max(2_000)
        .describe(
          'The conversation so far, as returned by the `end` event; the last message is the question.',
        ),
      draft: draft.optional(),
      maxTurns: z
        .number()
        .int()
        .min(1)
        .max(50)
        .default(20)
        .describe('Maximum number of requests to the model.'),
      maxTokens: z
        .number()
        .int()
        .min(1)
        .max(10_000_000)
        .default(500_000)
        .describe('Total input and output tokens after which the conversation stops.'),
      timeoutMs: z.number().int().min(1_000).max(600_000).default(300_000),
    }),
    stream: ['text/event-stream'],
  }),
};
