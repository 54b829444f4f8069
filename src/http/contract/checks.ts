import { z } from 'zod';
import { checkFields } from '../../domain/models/check.ts';
import { timestamp, versioned } from './common.ts';
import { fieldsFromDomain } from './from-domain.ts';
import { draft } from './playground.ts';
import { defineRoute } from './route.ts';

const fields = fieldsFromDomain(checkFields);

/** A check as the admin API shows it. */
export const checkResource = z
  .object({
    ...versioned,
    ...fields,
    mode: fields.mode.optional(),
    server: z.string().describe('Slug.'),
  })
  .meta({ id: 'Check' });

const tokens = z.object({ input: z.number().int(), output: z.number().int() });
const cost = z.number().nullable().describe('In units of the model’s currency; null without prices.');

/** The results of running a server's checks. */
export const checkRunResource = z
  .object({
    id: z.string(),
    server: z.string().describe('Slug.'),
    model: z.string().describe('Name.'),
    by: z.string(),
    state: z.enum(['running', 'ended', 'stopped']),
    startedAt: timestamp,
    updatedAt: timestamp,
    variants: z
      .array(
        z.object({
          of: z.enum(['published', 'draft']),
          version: z
            .string()
            .describe('Changes whenever the server’s tools or instructions, as models see them, change.'),
          passed: z.number().int(),
          total: z.number().int(),
          notRun: z
            .number()
            .int()
            .describe('Checks that were stopped or whose model could not be asked; not part of the total.'),
          tokens,
          cost,
          results: z.array(
            z.object({
              checkId: z.string(),
              name: z.string(),
              passed: z.boolean(),
              problems: z.array(z.string()).describe('Expectations that were not met.'),
              reason: z.string().describe('How the conversation ended; "answered" is the normal case.'),
              answer: z.string(),
              calls: z.array(z.object({ tool: z.string(), arguments: z.string().nullable() })),
              tokens,
              cost,
              turns: z.number().int(),
              durationMs: z.number(),
              runId: z.string().describe('The id of the conversation’s record.'),
            }),
          ),
        }),
      )
      .describe('The server as it is and, if a draft was given, with the draft applied.'),
  })
  .meta({ id: 'CheckRun' });

export const checkRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/servers/:server/checks',
    id: 'listChecks',
    tag: 'checks',
    access: 'viewer',
    summary: 'List the checks of a server',
    status: 200,
    reply: z.object({ items: z.array(checkResource) }),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/servers/:server/checks',
    id: 'createCheck',
    tag: 'checks',
    access: 'editor',
    summary: 'Save a question for a model along with the expected outcome',
    status: 201,
    body: z.strictObject({ ...fields, mode: fields.mode.optional() }),
    reply: checkResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/checks/:check',
    id: 'getCheck',
    tag: 'checks',
    access: 'viewer',
    summary: 'Show one check',
    status: 200,
    reply: checkResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/checks/:check',
    id: 'updateCheck',
    tag: 'checks',
    access: 'editor',
    summary: 'Edit a check; null clears its mode',
    status: 200,
    body: z.strictObject({ ...fields, mode: fields.mode.nullable() }).partial(),
    reply: checkResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/checks/:check',
    id: 'deleteCheck',
    tag: 'checks',
    access: 'editor',
    summary: 'Delete a check; its past results stay in the history',
    status: 204,
  }),
  run: defineRoute({
    method: 'POST',
    path: '/servers/:server/check-runs',
    id: 'runChecks',
    tag: 'checks',
    access: 'editor',
    summary:
      'Start a run of a server’s checks in the background, on the server as it is and, if a draft is given, with the draft applied',
    status: 202,
    maxBodyBytes: 64 * 1024 * 1024,
    body: z.strictObject({
      model: z.string().min(1).max(200).describe('Id or name of the model.'),
      checks: z.array(z.string()).max(1_000).optional().describe('Ids; all checks of the server by default.'),
      draft: draft.optional(),
      surface: z.enum(['admin', 'cli']).default('admin'),
    }),
    reply: checkRunResource,
  }),
  history: defineRoute({
    method: 'GET',
    path: '/servers/:server/check-runs',
    id: 'listCheckRuns',
    tag: 'checks',
    access: 'viewer',
    summary: 'List the check runs of a server, newest first',
    status: 200,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(20) }),
    reply: z.object({ items: z.array(checkRunResource) }),
  }),
  getRun: defineRoute({
    method: 'GET',
    path: '/check-runs/:run',
    id: 'getCheckRun',
    tag: 'checks',
    access: 'viewer',
    summary: 'Show the current state of a check run',
    status: 200,
    reply: checkRunResource,
  }),
  stop: defineRoute({
    method: 'POST',
    path: '/check-runs/:run/stop',
    id: 'stopCheckRun',
    tag: 'checks',
    access: 'editor',
    summary: 'Stop a check run',
    status: 200,
    reply: checkRunResource,
  }),
};
