import { z } from 'zod';
import { pageQuery, timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** One line of the audit log. */
export const auditResource = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.object({ id: z.string(), name: z.string(), address: z.string().nullable() }),
    action: z.string().describe('Such as "tool.update" or "session.sign_in".'),
    subject: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    before: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The changed fields as they were, secrets masked.'),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The changed fields as they are now, secrets masked.'),
  })
  .meta({ id: 'AuditEntry' });

/** What computing the chain of the audit log again showed. */
export const auditVerification = z
  .object({
    ok: z.boolean(),
    lines: z.number().int().describe('Lines whose hashes were computed again.'),
    removedUpTo: z.number().int().describe('The newest line that retention removed; 0 if none was.'),
    last: z
      .object({ seq: z.number().int(), hash: z.string() })
      .describe('The newest line. Note it elsewhere, and send it as `seq` and `hash` later.'),
    faults: z.array(
      z.object({
        kind: z.enum(['changed', 'missing', 'added', 'end', 'expected']),
        fromSeq: z.number().int().nullable(),
        toSeq: z.number().int().nullable(),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'AuditVerification' });

export const auditRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/audit',
    id: 'listAudit',
    tag: 'audit',
    access: 'viewer',
    status: 200,
    summary: 'Read the audit log, newest first',
    query: pageQuery.extend({
      actor: z.string().max(100).optional().describe('Id of an admin, "token" or "handrail".'),
      action: z.string().max(100).optional(),
      kind: z.string().max(50).optional(),
      subject: z.string().max(100).optional().describe('Id of what was changed.'),
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
      search: z.string().max(200).optional().describe('Words that must all appear in the entry.'),
    }),
    reply: z.object({ items: z.array(auditResource), nextCursor: z.string().nullable() }),
  }),
  verify: defineRoute({
    method: 'GET',
    path: '/audit/verification',
    id: 'verifyAudit',
    tag: 'audit',
    access: 'viewer',
    status: 200,
    summary: 'Compute the hash chain of the audit log again and say what does not fit',
    query: z.object({
      seq: z.coerce.number().int().min(1).optional().describe('A line that was noted earlier.'),
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe('The hash of that line.'),
    }),
    reply: auditVerification,
  }),
  actors: defineRoute({
    method: 'GET',
    path: '/audit/actors',
    id: 'listAuditActors',
    tag: 'audit',
    access: 'viewer',
    status: 200,
    summary: 'List everyone who appears in the audit log',
    reply: z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) }),
  }),
};
