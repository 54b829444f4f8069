import { z } from 'zod';
import { keyName, ratePerMinute } from '../../domain/access-key.ts';
import { pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const editable = {
  name: fromDomain(keyName),
  servers: z
    .array(z.string())
    .describe('Ids or slugs of the servers it gives access to; absent means every server.'),
  tools: z.array(z.string()).describe('Ids or names of the tools it may call; absent means every tool.'),
  expiresAt: z.iso.datetime({ offset: true }),
  ratePerMinute: fromDomain(ratePerMinute),
};

/** An access key as the admin API shows it; the key itself appears only in the response that created it. */
export const keyResource = z
  .object({
    ...versioned,
    name: z.string(),
    hint: z.string().describe('The first characters of the key.'),
    servers: z.array(z.string()).optional().describe('Slugs.'),
    tools: z.array(z.string()).optional().describe('Ids.'),
    expiresAt: timestamp.optional(),
    revokedAt: timestamp.optional(),
    ratePerMinute: z.number().optional(),
    replaces: z.string().optional().describe('Id of the key it replaced.'),
    callerId: z.string().describe('Caller id in call records; rotating the key does not change it.'),
    lastUsedAt: timestamp.optional().describe('Accurate to 30 seconds; absent when never used.'),
  })
  .meta({ id: 'AccessKey' });

const withKey = keyResource.extend({ key: z.string().describe('Shown only once.') });

export const keyRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/keys',
    id: 'listKeys',
    tag: 'keys',
    access: 'viewer',
    summary: 'List access keys',
    status: 200,
    query: pageQuery,
    reply: pageOf(keyResource),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/keys',
    id: 'createKey',
    tag: 'keys',
    access: 'editor',
    summary: 'Create an access key; it is shown only once',
    status: 201,
    body: z.strictObject({ ...z.object(editable).partial().shape, name: editable.name }),
    reply: withKey,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/keys/:key',
    id: 'getKey',
    tag: 'keys',
    access: 'viewer',
    summary: 'Show one access key',
    status: 200,
    reply: keyResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/keys/:key',
    id: 'updateKey',
    tag: 'keys',
    access: 'editor',
    summary: 'Edit a key; null removes a restriction',
    status: 200,
    body: z
      .strictObject({
        name: editable.name,
        servers: editable.servers.nullable(),
        tools: editable.tools.nullable(),
        expiresAt: editable.expiresAt.nullable(),
        ratePerMinute: editable.ratePerMinute.nullable(),
      })
      .partial(),
    reply: keyResource,
  }),
  rotate: defineRoute({
    method: 'POST',
    path: '/keys/:key/rotate',
    id: 'rotateAccessKey',
    tag: 'keys',
    access: 'editor',
    summary: 'Rotate a key; the old one stays valid during the overlap, and the new one is shown only once',
    status: 201,
    body: z.strictObject({
      overlapMs: z
        .number()
        .int()
        .min(0)
        .max(90 * 86_400_000)
        .default(86_400_000)
        .describe('How long the old key stays valid; one day by default.'),
    }),
    reply: withKey,
  }),
  revoke: defineRoute({
    method: 'POST',
    path: '/keys/:key/revoke',
    id: 'revokeKey',
    tag: 'keys',
    access: 'editor',
    summary: 'Revoke a key immediately',
    status: 200,
    reply: keyResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/keys/:key',
    id: 'deleteKey',
    tag: 'keys',
    access: 'editor',
    summary: 'Delete a key',
    status: 204,
  }),
};
