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
  outputTokens: z.number().describe('Estimated.'),
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

export const analyticsRoutes = {
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
      top: z.coerce.number().int().min(1).max(100).default(20).describe('How many groups to list.'),
    }),
    reply: z.object({
      from: timestamp,
      to: timestamp,
      stepMs: z.number().int().describe('Width of one point.'),
      totals: z.object({ ...sums, latency }),
      previous: z.object({ ...sums, latency }).describe('The same length of time before, to compare with.'),
      series: z.array(point),
      groups: z.array(group).describe('Busiest first.'),
      errorMap: z
        .object({
          columns: z.array(timestamp),
          rows: z.array(z.object({ name: z.string(), label: z.string(), errors: z.array(z.number().int()) })),
        })
        .describe('Errors by group and time; only groups that had any, worst first.'),
    }),
  }),
};
