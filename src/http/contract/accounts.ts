import { z } from 'zod';
import { maxEnteredLength } from '../../domain/account.ts';
import { timestamp } from './common.ts';
import { defineRoute } from './route.ts';

/** An API that a person connects an account of their own to, and whether they have. */
export const accountResource = z
  .object({
    api: z.string().describe('Slug.'),
    name: z.string(),
    description: z.string().optional(),
    how: z
      .enum(['browser', 'enter'])
      .describe('Whether the account is connected by signing in at the API, or by entering its secret.'),
    fields: z.array(z.string()).describe('The values to enter.'),
    optionalFields: z.array(z.string()),
    status: z
      .enum(['none', 'connected', 'outdated'])
      .describe('outdated: the API changed since, and the account must be connected again.'),
    connectedAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
  })
  .meta({ id: 'Account' });

/** Whose account is connected to an API: never what is in it. */
export const connectedPersonResource = z
  .object({
    person: z.object({ id: z.string(), name: z.string() }),
    status: z.enum(['connected', 'outdated']),
    connectedAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ConnectedPerson' });

const tag = 'accounts';

export const accountRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/accounts',
    id: 'listAccounts',
    tag,
    access: 'none',
    summary: 'List the APIs that you connect an account of your own to',
    status: 200,
    reply: z.object({ items: z.array(accountResource) }),
  }),
  readLink: defineRoute({
    method: 'GET',
    path: '/account-link',
    id: 'readAccountLink',
    tag,
    access: 'none',
    summary: 'The API that a link from a call was made for; only for the person whose call it was',
    status: 200,
    query: z.strictObject({ link: z.string().min(1).max(2_000) }),
    reply: accountResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/accounts/:api',
    id: 'getAccount',
    tag,
    access: 'none',
    summary: 'Show your account at one API',
    status: 200,
    reply: accountResource,
  }),
  enter: defineRoute({
    method: 'PUT',
    path: '/accounts/:api',
    id: 'enterAccount',
    tag,
    access: 'none',
    summary: 'Connect your account at an API with a secret of yours, replacing the previous one',
    status: 200,
    body: z.strictObject({ fields: z.record(z.string(), z.string().max(maxEnteredLength)) }),
    reply: accountResource,
  }),
  connect: defineRoute({
    method: 'POST',
    path: '/accounts/:api/connect',
    id: 'connectAccount',
    tag,
    access: 'none',
    summary: 'Start connecting your account at an API by signing in there; finish it in the same browser',
    status: 200,
    reply: z.object({ authorizationUrl: z.string(), redirectUri: z.string() }),
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/accounts/:api',
    id: 'disconnectAccount',
    tag,
    access: 'none',
    summary: 'Disconnect your account at an API; calls stop using it within a second',
    status: 204,
  }),
  listOfApi: defineRoute({
    method: 'GET',
    path: '/apis/:api/accounts',
    id: 'listApiAccounts',
    tag,
    access: 'owner',
    summary: 'List who connected an account at an API, without what is in it',
    status: 200,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(500).default(50).describe('How many to return, 1 to 500.'),
      cursor: z.string().max(500).optional().describe('`nextCursor` of the previous page.'),
    }),
    reply: z.object({
      items: z.array(connectedPersonResource),
      nextCursor: z
        .string()
        .nullable()
        .describe('Pass it as `cursor` to get the next page; null on the last page.'),
    }),
  }),
  removeOfApi: defineRoute({
    method: 'DELETE',
    path: '/apis/:api/accounts/:person',
    id: 'disconnectApiAccount',
    tag,
    access: 'owner',
    summary: 'Disconnect someone’s account at an API',
    status: 204,
  }),
};
