import { z } from 'zod';
import { toolKinds } from '../../domain/tool.ts';
import { pageQuery, timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** An app that a person signed in to a server with. */
export const connectedAppResource = z
  .object({
    id: z.string(),
    name: z.string().describe('How the app calls itself.'),
    domain: z
      .string()
      .optional()
      .describe('The domain that the app belongs to; absent if anyone could claim its name.'),
    redirectsTo: z.string().optional().describe('Where its sign-ins end: a host, or the scheme of an app.'),
    clientId: z.string(),
    person: z.object({ id: z.string(), name: z.string() }),
    server: z.string().describe('Slug.'),
    kinds: z.array(z.enum(toolKinds)).describe('It may use every tool of these kinds.'),
    except: z.array(z.string()).describe('Ids of tools that the person left out.'),
    also: z.array(z.string()).describe('Ids of tools of other kinds that the person allowed.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional().describe('Accurate to a minute; absent when never used.'),
    expiresAt: timestamp.describe('When the app must ask again, unless it is used before.'),
  })
  .meta({ id: 'ConnectedApp' });

const tag = 'connected apps';

export const connectedAppRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/connected-apps',
    id: 'listConnectedApps',
    tag,
    access: 'none',
    summary: 'List connected apps, newest first: an owner sees everyone’s, others their own',
    status: 200,
    query: pageQuery.extend({ person: z.string().max(200).optional().describe('A person’s id, or `me`.') }),
    reply: z.object({
      items: z.array(connectedAppResource),
      nextCursor: z
        .string()
        .nullable()
        .describe('Pass it as `cursor` to get the next page; null on the last page.'),
    }),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/connected-apps/:app',
    id: 'getConnectedApp',
    tag,
    access: 'none',
    summary: 'Show one connected app',
    status: 200,
    reply: connectedAppResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/connected-apps/:app',
    id: 'disconnectApp',
    tag,
    access: 'none',
    summary:
      'Disconnect an app: its tokens stop working within a second; only an owner may disconnect others’ apps',
    status: 204,
  }),
};
