import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** The ranges that analytics are asked for, and how fine they are drawn. */
export const analyticsRange = z.enum(['15m', '1h', '6h', '24h', '7d', '30d', '90d', '1y']);

const sums = {
  calls: z.number().int(),
  errors: z.number().int(),
  requestBytes: z.number(),
  replyBytes: z.number(),
  outputTokens: z.number().describe('What the replies are, estimated.'),
  savedTokens: z.number().describe('How much of that no model had to read.'),
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
  .describe('From a histogram: right to within a fifth. Null when nothing was called.');

const point = z.object({
  at: timestamp,
  ...sums,
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
});

const group = z.object({
  name: z.string(),
  label: z.string().describe('What people call it.'),
  ...sums,
  latency,
});

const suggestion = z.object({
  tool: z.string().describe('Id of the tool.'),
  toolName: z.string(),
  api: z.string(),
  calls: z.number().int().describe('In the last seven days.'),
  replyTokens: z.number().describe('What one of its replies is, estimated.'),
  readTokens: z.number().describe('What a model reads of one now.'),
  fields: z.array(z.string()).describe('The fields that would be kept.'),
  select: z.string().describe('What to set as `reply.select` of the tool.'),
  saved: z.number().describe('The share of a reply that would be left out, from 0 to 1.'),
});

export const analyticsRoutes = {
  suggestions: defineRoute({
    method: 'GET',
    path: '/reply-suggestions',
    id: 'listReplySuggestions',
    tag: 'analytics',
    access: 'viewer',
    summary:
      'Tools whose replies are long, and the fields of them that would do, told from what was recorded',
    status: 200,
    reply: z.object({ items: z.array(suggestion) }),
  }),
  usage: defineRoute({
    method: 'GET',
    path: '/usage',
    id: 'readUsage',
    tag: 'analytics',
    access: 'viewer',
    summary: 'What was called in the last 24 hours, hour by hour, by tool, API, server or caller',
    status: 200,
    query: z.strictObject({ by: z.enum(['tool', 'api', 'server', 'caller']) }),
    reply: z.object({
      items: z.array(
        z.object({
          name: z.string().describe('A tool’s name, a slug, or a caller’s id.'),
          calls: z.number().int(),
          errors: z.number().int(),
          p95Ms: z.number().nullable(),
          lastUsed: timestamp.describe('The hour in which it was called last.'),
          hours: z
            .array(z.tuple([z.number().int(), z.number().int()]))
            .describe('Calls and errors of each hour, the oldest first.'),
        }),
      ),
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
      name: z
        .string()
        .max(300)
        .optional()
        .describe('Only this one of what `by` names: its own series and totals.'),
      order: z
        .enum(['calls', 'tokens'])
        .default('calls')
        .describe('What groups are sorted by: calls, or tokens that models read.'),
      top: z.coerce.number().int().min(1).max(100).default(20).describe('How many groups to list.'),
    }),
    reply: z.object({
      from: timestamp,
      to: timestamp,
      stepMs: z.number().int().describe('Width of one point.'),
      totals: z.object({ ...sums, latency }),
      previous: z.object({ ...sums, latency }).describe('The same length of time before, to compare with.'),
      series: z.array(point),
      faults: z
        .array(z.object({ agent: z.number().int(), api: z.number().int(), gateway: z.number().int() }))
        .nullable()
        .describe('Errors of each point by whose mistake they were; null with `name`.'),
      groups: z.array(group).describe('The most first, by `order`.'),
      errorMap: z
        .object({
          columns: z.array(timestamp),
          rows: z.array(z.object({ name: z.string(), label: z.string(), errors: z.array(z.number().int()) })),
        })
        .describe('Errors by group and time; only groups that had any, worst first.'),
    }),
  }),
};
