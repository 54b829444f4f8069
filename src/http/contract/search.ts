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
  .describe('Token cost of a list above which a server in auto mode switches to search.');

/** Token cost of some tools, listed or searched. */
export const listCost = z
  .object({
    tools: z.number().int(),
    direct: tokens.describe('The full tool list.'),
    search: tokens.describe('The list and instructions in search mode.'),
    budget,
    servedAs: z.enum(listModes).describe('The effective mode.'),
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
    partial: z.boolean().describe('Some accepted arguments are not in the signature.'),
    needs: z.array(z.string()).describe('Tools that yield the ids it needs.'),
  })
  .meta({ id: 'SearchResult' });

export const searchRoutes = {
  find: defineRoute({
    method: 'GET',
    path: '/search',
    id: 'searchTools',
    tool: true,
    tag: 'tools',
    access: 'viewer',
    summary: 'Find tools by what they do, as clients of a server in search mode do',
    status: 200,
    query: z.strictObject({
      query: z.string().min(1).max(2_000),
      server: z.string().optional().describe('Id or slug; all tools by default.'),
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
    tool: true,
    tag: 'servers',
    access: 'viewer',
    summary: 'Show the token cost of a server’s tools in each mode, counted with a tokenizer',
    status: 200,
    query: z.strictObject({
      outputSchemas: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Also count output schemas, which is slow when they are large.'),
    }),
    reply: z.object({
      mode: z.enum(serverModes).describe('The configured mode.'),
      servedAs: z.enum(listModes).describe('The effective mode.'),
      budget,
      direct: tokens.describe('The full tool list, including output schemas if the server lists them.'),
      outputSchemas: tokens
        .optional()
        .describe('Token cost of output schemas, whether or not they are part of that list.'),
      search: tokens.describe('The list and instructions in search mode.'),
      code: tokens.describe('The list and instructions in code mode.'),
      tools: z.array(z.object({ name: z.string(), api: z.string(), tags: z.array(z.string()), tokens })),
      apis: z.array(share),
      tags: z.array(share),
    }),
  }),
  costs: defineRoute({
    method: 'GET',
    path: '/server-costs',
    id: 'listServerCosts',
    tool: true,
    tag: 'servers',
    access: 'viewer',
    summary: 'List the token cost of each enabled server',
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
    tool: true,
    tag: 'servers',
    access: 'viewer',
    summary: 'Count the token cost of a server with these tools in each mode, without creating it',
    status: 200,
    body: z.strictObject({ tools: toolSelection }),
    reply: z.object({
      tools: z.number().int().describe('How many of them are enabled.'),
      direct: tokens.describe('The full tool list.'),
      search: tokens,
      code: tokens,
      budget,
    }),
  }),
};
