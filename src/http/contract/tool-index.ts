import { z } from 'zod';
import { toolKinds } from '../../domain/tool.ts';
import { defineRoute } from './route.ts';

/** A short form of a tool, for lists of thousands. */
export const toolLine = z
  .object({
    id: z.string(),
    name: z.string(),
    title: z.string().optional(),
    summary: z.string().describe('The start of its description.'),
    api: z.string().describe('Slug of its API.'),
    method: z.string(),
    kind: z.enum(toolKinds).describe('What a call of it does.'),
    path: z.string(),
    tags: z.array(z.string()),
    enabled: z.boolean(),
    deprecated: z.boolean(),
    pendingChange: z.boolean(),
    estimatedTokens: z.number().int().describe('Token cost of listing the tool (o200k).'),
  })
  .meta({ id: 'ToolLine' });

export const toolIndexRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/tool-index',
    id: 'listToolIndex',
    tool: true,
    tag: 'tools',
    access: 'viewer',
    summary: 'List all tools in short form, with their token cost',
    status: 200,
    query: z.strictObject({
      api: z.string().optional().describe('Id or slug.'),
      server: z
        .string()
        .max(20_000)
        .optional()
        .describe('Ids or slugs, separated by commas: only tools of these servers, in their order.'),
    }),
    reply: z.object({ items: z.array(toolLine), estimatedTokens: z.number().int() }),
  }),
  change: defineRoute({
    method: 'POST',
    path: '/tools/bulk',
    id: 'changeTools',
    tag: 'tools',
    access: 'editor',
    summary: 'Enable, disable, tag or delete many tools at once, all or nothing',
    status: 200,
    body: z.strictObject({
      tools: z.array(z.string().min(1)).min(1).max(50_000).describe('Ids.'),
      enabled: z.boolean().optional(),
      addTags: z.array(z.string().min(1).max(100)).max(100).optional(),
      removeTags: z.array(z.string().min(1).max(100)).max(100).optional(),
      delete: z.literal(true).optional(),
    }),
    reply: z.object({ changed: z.number().int() }),
  }),
  affected: defineRoute({
    method: 'POST',
    path: '/affected',
    id: 'readAffected',
    tag: 'tools',
    access: 'viewer',
    summary: 'Show what disabling or deleting tools, an API or a server would affect',
    status: 200,
    body: z.strictObject({
      tools: z.array(z.string().min(1)).min(1).max(50_000).optional().describe('Ids.'),
      api: z.string().optional().describe('Id or slug.'),
      server: z.string().optional().describe('Id or slug.'),
    }),
    reply: z.object({
      servers: z.array(z.string()).describe('Slugs of the servers that list any of them.'),
      calls: z.number().int().describe('Calls in the last 24 hours.'),
    }),
  }),
};
