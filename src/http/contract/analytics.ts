import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** The time ranges of analytics. */
export const analyticsRange = z.enum(['15m', '1h', '6h', '24h', '7d', '30d', '90d', '1y']);

const sums = {
  calls: z.number().int(),
  errors: z.number().int(),
  requestBytes: z.number(),
  replyBytes: z.number(),
  outputTokens: z.number().describe('Estimated size of the replies.'),
  savedTokens: z.number().describe('How much of that models did not have to read.'),
};

const latency = z
  .object({
    meanMs: z.number(),
    p50Ms: z.number(),
    p90Ms: z.number(),
    p95Ms: z.number(),
    p99Ms: z.number(),
  })
  .nullable()
  .describe('From a histogram, accurate to within 20%. Null when there were no calls.');

const point = z.object({
  at: timestamp,
  ...sums,
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
});

const group = z.object({
  name: z.string(),
  label: z.string().describe('Display name.'),
  ...sums,
  latency,
});

const suggestion = z.object({
  tool: z.string().describe('Id of the tool.'),
  toolName: z.string(),
  api: z.string(),
  calls: z.number().int().describe('In the last seven days.'),
  replyTokens: z.number().describe('Estimated size of one reply.'),
  readTokens: z.number().describe('How much of it a model reads now.'),
  fields: z.array(z.string()).describe('The fields that would be kept.'),
  select: z.string().describe('Suggested value for `reply.select` of the tool.'),
  saved: z.number().describe('The fraction of a reply that would be left out, from 0 to 1.'),
});

export const analyticsRoutes = {
  suggestions: defineRoute({
    method: 'GET',
    path: '/reply-suggestions',
    id: 'listReplySuggestions',
    tool: true,
    tag: 'analytics',
    access: 'viewer',
    summary: 'Suggest which fields to keep for tools with long replies, based on recorded calls',
    status: 200,
    reply: z.object({ items: z.array(suggestion) }),
  }),
  usage: defineRoute({
    method: 'GET',
    path: '/usage',
    id: 'readUsage',
    tag: 'analytics',
    access: 'viewer',
    summary: 'Calls of the last 24 hours, hour by hour, by tool, API, server or caller',
    status: 200,
    query: z.strictObject({ by: z.enum(['tool', 'api', 'server', 'caller']) }),
    reply: z.object({
      items: z.array(
        z.object({
          name: z.string().describe('A tool’s name, a slug, or a caller’s id.'),
          calls: z.number().int(),
          errors: z.number().int(),
          p95Ms: z.number().nullable(),
          lastUsed: timestamp.describe('The hour of the last call.'),
          hours: z
            .array(z.tuple([z.number().int(), z.number().int()]))
            .describe('Calls and errors per hour, oldest first.'),
        }),
      ),
    }),
  }),
  pivot: defineRoute({
    method: 'GET',
    path: '/analytics/pivot',
    id: 'readCallerToolPivot',
    tag: 'analytics',
    access: 'viewer',
    summary: 'Calls by caller and tool: the busiest callers and the tools that are called most',
    status: 200,
    query: z.strictObject({ range: analyticsRange.default('24h') }),
    reply: z.object({
      callers: z.array(z.object({ name: z.string(), label: z.string().describe('Display name.') })),
      tools: z.array(z.string()),
      cells: z
        .array(z.array(z.object({ calls: z.number().int(), errors: z.number().int() })))
        .describe('A row for each caller with a cell for each tool.'),
    }),
  }),
  read: defineRoute({
    method: 'GET',
    path: '/analytics',
    id: 'readAnalytics',
    tag: 'analytics',
    access: 'viewer',
    summary:
      'Calls, errors, latency, bytes and estimated tokens over time, and by tool, server, caller, client or outcome',
    status: 200,
    query: z.strictObject({
      range: analyticsRange.default('24h'),
      by: z.enum(['tool', 'server', 'caller', 'client', 'outcome']).default('tool'),
      name: z.string().max(300).optional().describe('Limit the series and totals to this one group of `by`.'),
      order: z
        .enum(['calls', 'tokens'])
        .default('calls')
        .describe('Sort groups by calls, or by tokens that models read.'),
      top: z.coerce.number().int().min(1).max(100).default(20).describe('How many groups to list.'),
    }),
    reply: z.object({
      from: timestamp,
      to: timestamp,
      stepMs: z.number().int().describe('Interval between points.'),
      totals: z.object({ ...sums, latency }),
      previous: z
        .object({ ...sums, latency })
        .describe('The preceding period of the same length, for comparison.'),
      series: z.array(point),
      faults: z
        .array(z.object({ agent: z.number().int(), api: z.number().int(), gateway: z.number().int() }))
        .nullable()
        .describe('Errors of each point by who caused them; null with `name`.'),
      groups: z.array(group).describe('Sorted by `order`, highest first.'),
      errorMap: z
        .object({
          columns: z.array(timestamp),
          rows: z.array(z.object({ name: z.string(), label: z.string(), errors: z.array(z.number().int()) })),
        })
        .describe('Errors by group and time; only groups with errors, worst first.'),
    }),
  }),
};
