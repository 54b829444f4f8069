import { z } from 'zod';
import { pageOf, pageQuery, timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** One recorded call as the admin API shows it. */
export const callResource = z
  .object({
    id: z.string(),
    parentId: z.string().nullable().describe('The call that this one was made for.'),
    toolId: z.string().nullable(),
    toolName: z.string().describe('Empty when the caller was rejected before naming a tool.'),
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
    outcome: z.string().describe('"ok", "waiting" or an error code.'),
    message: z.string().nullable(),
    tries: z.number(),
    cached: z.boolean(),
    requestBytes: z.number(),
    replyBytes: z.number(),
    arguments: z.string().nullable().describe('JSON text, secrets masked.'),
    reply: z.string().nullable(),
    outputTokens: z.number().describe('Estimated size of the whole reply.'),
    readTokens: z.number().nullable().describe('How much of it a model read, when that was not all of it.'),
    read: z.string().nullable().describe('The text that a model read instead of the whole reply.'),
    steps: z
      .array(
        z.object({
          name: z.string().describe('prepare, credential, wait, try, send, shape, …'),
          startMs: z.number().describe('Since the start of the call.'),
          durationMs: z.number(),
          note: z.string().optional().describe('Result of the step, such as "HTTP 503".'),
        }),
      )
      .describe('Where the time went, in order.'),
    request: z.string().nullable().describe('Method and URL as sent, secrets masked.'),
  })
  .meta({ id: 'Call' });

const callFilter = {
  tool: z.string().optional().describe('Name, or id such as "tool_01J…".'),
  api: z.string().optional(),
  server: z.string().optional(),
  caller: z.string().optional().describe('Id of the caller, such as "key:key_…" or "anonymous".'),
  client: z.string().optional(),
  surface: z.enum(['mcp', 'rest', 'explorer', 'cli', 'stdio', 'admin']).optional(),
  outcome: z
    .string()
    .optional()
    .describe(
      '"ok", "waiting", an error code, "error" for all of these, "agent", "api" or "gateway" by who caused the error, or "refused" for requests that were not authenticated or named an unknown tool.',
    ),
  status: z.coerce.number().int().optional().describe('The upstream’s HTTP status.'),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  text: z.string().max(200).optional(),
  parent: z.string().max(200).optional().describe('Id of the call that they belong to.'),
};

export const callRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/calls',
    id: 'listCalls',
    tag: 'calls',
    access: 'viewer',
    summary: 'List recorded calls, newest first',
    status: 200,
    query: pageQuery.extend(callFilter),
    reply: pageOf(callResource).extend({
      totalIsExact: z.boolean().describe('False when counting stopped: then there are at least `total`.'),
      searchedBackTo: timestamp
        .nullable()
        .describe('Set when the search stopped early: continue to older records with `nextCursor`.'),
    }),
  }),
  tail: defineRoute({
    method: 'GET',
    path: '/calls/tail',
    id: 'tailCalls',
    tag: 'calls',
    access: 'viewer',
    summary: 'Follow calls as they are recorded: events named "call" whose data is a Call',
    status: 200,
    query: z.strictObject(callFilter).omit({ from: true, to: true }),
    stream: ['text/event-stream'],
  }),
  export: defineRoute({
    method: 'GET',
    path: '/calls/export',
    id: 'exportCalls',
    tag: 'calls',
    access: 'viewer',
    summary: 'Download every recorded call that matches, newest first',
    status: 200,
    query: z.strictObject({ ...callFilter, format: z.enum(['csv', 'json', 'ndjson']).default('csv') }),
    stream: ['text/csv', 'application/json', 'application/x-ndjson'],
  }),
  purge: defineRoute({
    method: 'POST',
    path: '/calls/purge',
    id: 'purgeCalls',
    tag: 'calls',
    access: 'owner',
    summary: 'Delete records of calls that started before a time',
    status: 200,
    body: z.strictObject({ before: z.iso.datetime({ offset: true }) }),
    reply: z.object({ deleted: z.number().int() }),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/calls/:call',
    id: 'getCall',
    tag: 'calls',
    access: 'viewer',
    summary: 'Show one recorded call with the steps it went through',
    status: 200,
    reply: callResource,
  }),
};
