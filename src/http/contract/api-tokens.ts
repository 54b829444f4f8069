import { z } from 'zod';
import { apiTokenFields } from '../../domain/admin-api-token.ts';
import { pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { fieldsFromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const fields = fieldsFromDomain(apiTokenFields);

/** A token of the admin API, without its secret. */
export const apiTokenResource = z
  .object({
    ...versioned,
    ...fields,
    scopes: fields.scopes.optional(),
    hint: z.string().describe('Its first characters.'),
    createdBy: z.string().optional().describe('The ID of the person it belongs to.'),
    expiresAt: timestamp,
    revokedAt: timestamp.optional(),
    lastUsedAt: timestamp.optional().describe('Accurate to within 30 seconds.'),
  })
  .meta({ id: 'ApiToken' });

export const apiTokenRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/api-tokens',
    id: 'listApiTokens',
    tag: 'api-tokens',
    access: 'owner',
    summary: 'List the tokens of the admin API',
    status: 200,
    query: pageQuery,
    reply: pageOf(apiTokenResource),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/api-tokens/:token',
    id: 'getApiToken',
    tag: 'api-tokens',
    access: 'owner',
    summary: 'Show a token of the admin API',
    status: 200,
    reply: apiTokenResource,
  }),
  create: defineRoute({
    method: 'POST',
    path: '/api-tokens',
    id: 'createApiToken',
    tag: 'api-tokens',
    access: 'owner',
    summary: 'Create a token for a program that uses the admin API; it is shown only once',
    status: 201,
    body: z.strictObject({
      ...fields,
      scopes: fields.scopes.optional(),
      expiresInDays: z.number().int().min(1).max(730).default(90),
    }),
    reply: apiTokenResource.extend({ token: z.string().describe('Shown only once.') }),
  }),
  revoke: defineRoute({
    method: 'POST',
    path: '/api-tokens/:token/revoke',
    id: 'revokeApiToken',
    tag: 'api-tokens',
    access: 'owner',
    summary: 'End a token of the admin API immediately',
    status: 200,
    reply: apiTokenResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/api-tokens/:token',
    id: 'deleteApiToken',
    tag: 'api-tokens',
    access: 'owner',
    summary: 'Delete a token of the admin API',
    status: 204,
  }),
};
