import { z } from 'zod';
import { limitFields } from '../../domain/limits.ts';
import { settingsFields, storeKinds } from '../../domain/settings.ts';
import { object } from '../../lib/schema/schema.ts';
import { fieldsFromDomain, fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const editable = fieldsFromDomain(settingsFields);

/** The settings of the installation. */
export const settingsResource = z
  .object({
    ...editable,
    revision: z.number().int().describe('Send it as If-Match when editing.'),
    fromEnvironment: z
      .object({
        egressAllow: z.array(z.string()),
        retentionDays: z.number(),
        contentRetentionDays: z.number(),
        auditRetentionDays: z.number(),
        recordContents: z.boolean(),
        publicUrl: z.string().nullable(),
        host: z.string(),
        version: z.string(),
        program: z
          .array(z.string())
          .describe(
            'Command that starts this installation on its own machine: a program and its first argument.',
          ),
        database: z.enum(storeKinds),
      })
      .describe(
        'Values from the configuration; settings made here take precedence, and the egress lists are merged.',
      ),
    effectiveLimits: fromDomain(object(limitFields)),
    keptReplies: z
      .object({ count: z.number().int(), bytes: z.number(), maxBytes: z.number() })
      .describe('Long replies that are stored temporarily, and the space they use.'),
  })
  .meta({ id: 'Settings' });

export const settingsRoutes = {
  get: defineRoute({
    method: 'GET',
    path: '/settings',
    id: 'getSettings',
    tag: 'settings',
    access: 'viewer',
    summary: 'Show the settings of the installation',
    status: 200,
    reply: settingsResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/settings',
    id: 'updateSettings',
    tag: 'settings',
    access: 'owner',
    summary: 'Change settings, effective immediately; null restores the value from the environment',
    status: 200,
    body: z
      .strictObject({
        egressAllow: editable.egressAllow.nullable(),
        limits: editable.limits.nullable(),
        retentionDays: editable.retentionDays.nullable(),
        contentRetentionDays: editable.contentRetentionDays.nullable(),
        auditRetentionDays: editable.auditRetentionDays.nullable(),
        recordContents: editable.recordContents.nullable(),
        passwordSignIn: editable.passwordSignIn.nullable(),
        secondFactor: editable.secondFactor.nullable(),
      })
      .partial(),
    reply: settingsResource,
  }),
};
