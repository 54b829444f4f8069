import { z } from 'zod';
import { pageOf, pageQuery, timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** One recorded call as the admin API shows it. */
export const callResource = z
  .object({
    id: z.string(),
    toolId: z.string().nullable(),
    toolName: z.string(),
    api: z.string().nullable(),
    server: z.string(),
    surface: z.string(),
    callerId: z.string(),
    caller: z.string(),
    client: z.string().nullable(),
    clientVersion: z.string().nullable(),
    startedAt: timestamp,
    durationMs: z.number(),
    upstreamMs: z.number().nullable(),
    upstreamStatus: z.number().nullable(),
    outcome: z.string().describe('"ok" or an error code.'),
    message: z.string().nullable(),
    tries: z.number(),
    cached: z.boolean(),
    requestBytes: z.number(),
    replyBytes: z.number(),
    arguments: z.string().nullable().describe('JSON text, secrets masked.'),
    reply: z.string().nullable(),
    request: z.string().nullable().describe('Method and URL as sent, secrets masked.'),
  })
  .meta({ id: 'Call' });

export const callRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/calls',
    id: 'listCalls',
    tag: 'calls',
    access: 'viewer',
    summary: 'List recorded calls, newest first',
    status: 200,
    query: pageQuery.extend({
      tool: z.string().optional(),
      api: z.string().optional(),
      server: z.string().optional(),
      caller: z.string().optional(),
      client: z.string().optional(),
      surface: z.enum(['mcp', 'rest', 'explorer', 'cli', 'stdio', 'admin']).optional(),
      outcome: z.string().optional().describe('"ok", "error" or an error code.'),
      status: z.coerce.number().int().optional().describe('The upstream’s HTTP status.'),
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
      text: z.string().max(200).optional(),
    }),
    reply: pageOf(callResource),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/calls/:call',
    id: 'getCall',
    tag: 'calls',
    access: 'viewer',
    summary: 'Show one recorded call',
    status: 200,
    reply: callResource,
  }),
};
