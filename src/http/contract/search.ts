import { z } from 'zod';
import { listModes, serverModes } from '../../domain/server.ts';
import { toolKinds } from '../../domain/tool.ts';
import { defineRoute } from './route.ts';
import { toolSelection } from './servers.ts';

const tokens = z.number().int().describe('Tokens (o200k).');

const share = z.object({ name: z.string(), tools: z.number().int(), tokens });

const budget = z
  .number()
  .int()
  .describe('What a list may cost before a server whose mode is auto is searched.');

/** What some tools cost a model, listed or searched. */
export const listCost = z
  .object({
    tools: z.number().int(),
    direct: tokens.describe('The whole list, with each tool listed.'),
    search: tokens.describe('The list and the instructions when they are searched.'),
    budget,
    servedAs: z.enum(listModes).describe('What the mode, or auto, comes to.'),
    tags: z.array(share),
  })
  .meta({ id: 'ListCost' });

/** A tool that a search found. */
export const searchResult = z
  .object({
    id: z.string(),
    name: z.string(),
    api: z.string(),
    method: z.string(),
    path: z.string(),
    kind: z.enum(toolKinds),
    signature: z.string(),
    description: z.string(),
    partial: z.boolean().describe('Something that could be given is not in the signature.'),
    needs: z.array(z.string()).describe('Tools that yield the ids it needs.'),
  })
  .meta({ id: 'SearchResult' });

export const searchRoutes = {
  find: defineRoute({
    method: 'GET',
    path: '/search',
    id: 'searchTools',
    tag: 'tools',
    access: 'viewer',
    summary: 'Find tools by what they do, as clients of a searched server do',
    status: 200,
    query: z.strictObject({
      query: z.string().min(1).max(2_000),
      server: z.string().optional().describe('Id or slug; every tool without it.'),
      api: z.string().optional().describe('Slug or name of an API.'),
      kind: z.enum(toolKinds).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(5),
      wait: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Wait for the search index if it is still being built.'),
    }),
    reply: z.object({
      results: z.array(searchResult),
      total: z.number().int(),
      indexing: z
        .boolean()
        .describe('The search index is still being built: results match by tool name only.'),
    }),
  }),
  cost: defineRoute({
    method: 'GET',
    path: '/servers/:server/cost',
    id: 'getServerCost',
    tag: 'servers',
    access: 'viewer',
    summary: 'Show what the tools of a server cost a model in each mode, counted with a tokenizer',
    status: 200,
    query: z.strictObject({
      outputSchemas: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Count output schemas as well, which takes long where they are large.'),
    }),
    reply: z.object({
      mode: z.enum(serverModes).describe('As the operator set it.'),
      servedAs: z.enum(listModes).describe('What that comes to now.'),
      budget,
      direct: tokens.describe(
        'The whole list, with each tool listed; output schemas included if it shows them.',
      ),
      outputSchemas: tokens
        .optional()
        .describe('What output schemas add to that list, or are of it when they are shown.'),
      search: tokens.describe('The list and the instructions of the server when it is searched.'),
      code: tokens.describe('The list and the instructions of the server when it is used from code.'),
      tools: z.array(z.object({ name: z.string(), api: z.string(), tags: z.array(z.string()), tokens })),
      apis: z.array(share),
      tags: z.array(share),
    }),
  }),
  costs: defineRoute({
    method: 'GET',
    path: '/server-costs',
    id: 'listServerCosts',
    tag: 'servers',
    access: 'viewer',
    summary: 'List what each enabled server costs a model, in one line each',
    status: 200,
    query: z.strictObject({
      api: z.string().optional().describe('Id or slug: only servers with tools of this API.'),
    }),
    reply: z.object({
      items: z.array(
        z.object({
          server: z.string().describe('Slug.'),
          name: z.string(),
          tools: z.number().int(),
          mode: z.enum(serverModes),
          servedAs: z.enum(listModes),
          direct: tokens,
          search: tokens,
          code: tokens,
          apis: z.array(share),
        }),
      ),
      budget,
    }),
  }),
  choiceCost: defineRoute({
    method: 'POST',
    path: '/server-costs',
    id: 'countChoiceCost',
    tag: 'servers',
    access: 'viewer',
    summary: 'Count what a server with these tools would cost a model in each mode, before there is one',
    status: 200,
    body: z.strictObject({ tools: toolSelection }),
    reply: z.object({
      tools: z.number().int().describe('How many of them are switched on.'),
      direct: tokens.describe('The whole list, with each tool listed.'),
      search: tokens,
      code: tokens,
      budget,
    }),
  }),
};
