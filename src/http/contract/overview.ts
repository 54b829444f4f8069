import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineRoute } from './route.ts';

export const overviewRoutes = {
  read: defineRoute({
    method: 'GET',
    path: '/overview',
    id: 'readOverview',
    tag: 'overview',
    access: 'viewer',
    summary:
      'The state of the gateway at a glance: health, calls now, top tools, what needs attention, what to do next',
    status: 200,
    reply: z.object({
      counts: z.object({
        apis: z.number(),
        tools: z.number(),
        enabledTools: z.number(),
        servers: z.number(),
        credentials: z.number(),
        keys: z.number(),
      }),
      health: z.object({
        store: z.enum(['ok', 'unavailable']),
        recordsWaiting: z.number(),
        recordsDropped: z.number(),
        uptimeMs: z.number(),
        openCircuits: z.array(z.string()).describe('Slugs of APIs whose circuit breaker is open.'),
      }),
      now: z
        .object({
          callsPerMinute: z.number(),
          errorsPerMinute: z.number(),
          p95Ms: z.number().nullable(),
        })
        .describe('Over the last five minutes.'),
      today: z
        .object({
          calls: z.number(),
          errors: z.number(),
          faults: z
            .object({ agent: z.number(), api: z.number(), gateway: z.number() })
            .describe('Errors by who caused them.'),
          outputTokens: z.number(),
        })
        .describe('Over the last 24 hours.'),
      topTools: z.array(z.object({ name: z.string(), calls: z.number(), errors: z.number() })),
      attention: z
        .array(
          z.object({
            kind: z.enum([
              'set-aside',
              'failing-tool',
              'open-circuit',
              'missing-credential',
              'dropped-records',
              'expiring-key',
              'pending-change',
            ]),
            title: z.string(),
            detail: z.string(),
            subject: z.string().nullable().describe('Id or slug of what it is about.'),
            values: z
              .record(z.string(), z.union([z.string(), z.number()]))
              .describe('What the sentences name, to write them in another language.'),
            since: timestamp.nullable(),
          }),
        )
        .describe('Most pressing first.'),
      next: z
        .array(
          z.enum(['add-api', 'add-credential', 'try-tool', 'connect-client', 'make-key', 'invite-person']),
        )
        .describe('Next setup steps for a new installation, in order.'),
    }),
  }),
  events: defineRoute({
    method: 'GET',
    path: '/events',
    id: 'followChanges',
    tag: 'overview',
    access: 'viewer',
    summary:
      'Follow changes of the registry: events named "change" with {seq, changes: [{kind, id, op}], by}',
    status: 200,
    stream: ['text/event-stream'],
  }),
};
