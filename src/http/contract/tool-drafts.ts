import { z } from 'zod';
import { jsonSchema } from './common.ts';
import { defineRoute } from './route.ts';
import { operation, shownRequest, triedCall } from './tools.ts';

const draft = {
  api: z.string().min(1).describe('Id or slug of the API.'),
  name: z.string().max(64).default('draft'),
  operation,
  arguments: z.record(z.string(), z.unknown()).default({}),
};

/** Trying a tool before it is stored. */
export const toolDraftRoutes = {
  preview: defineRoute({
    method: 'POST',
    path: '/tool-drafts/preview',
    id: 'previewToolDraft',
    tag: 'tools',
    access: 'editor',
    summary: 'Show the input schema of an unsaved tool, and the request its arguments would produce',
    status: 200,
    body: z.strictObject(draft),
    reply: z.object({
      inputSchema: jsonSchema,
      request: shownRequest.nullable(),
      problem: z.string().nullable().describe('Why these arguments cannot be sent.'),
    }),
  }),
  call: defineRoute({
    method: 'POST',
    path: '/tool-drafts/call',
    id: 'callToolDraft',
    tag: 'tools',
    access: 'editor',
    summary: 'Call an unsaved tool through the whole pipeline',
    status: 200,
    body: z.strictObject(draft),
    reply: triedCall,
  }),
};
