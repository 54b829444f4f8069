import { z } from 'zod';
import { identityProviderFields } from '../../domain/identity-provider.ts';
import { pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { fieldsFromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const fields = fieldsFromDomain(identityProviderFields);
const clientSecret = z
  .string()
  .min(1)
  .max(10_000)
  .describe('Stored sealed, sent only to this issuer, never shown again; omit it for a public client.');

/** An identity provider as the admin API shows it: without its secret. */
export const identityProviderResource = z
  .object({
    ...versioned,
    ...fields,
    scopes: fields.scopes.optional(),
    groupsClaim: fields.groupsClaim.optional(),
    allowedDomains: fields.allowedDomains.optional(),
    hasSecret: z.boolean(),
    redirectUri: z.string().describe('Register exactly this redirect URI with the provider.'),
  })
  .meta({ id: 'IdentityProvider' });

const id = '/identity-providers/:provider';

export const identityProviderRoutes = {
  options: defineRoute({
    method: 'GET',
    path: '/sign-in-options',
    id: 'getSignInOptions',
    tag: 'session',
    access: 'public',
    summary: 'Show how people can sign in',
    status: 200,
    reply: z.object({
      passwords: z.enum(['everyone', 'owners']),
      providers: z.array(z.object({ name: z.string(), startUrl: z.string() })),
    }),
  }),
  list: defineRoute({
    method: 'GET',
    path: '/identity-providers',
    id: 'listIdentityProviders',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'List the OpenID Connect providers that people sign in with',
    status: 200,
    query: pageQuery,
    reply: pageOf(identityProviderResource),
  }),
  get: defineRoute({
    method: 'GET',
    path: id,
    id: 'getIdentityProvider',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'Show an identity provider, by ID or slug',
    status: 200,
    reply: identityProviderResource,
  }),
  create: defineRoute({
    method: 'POST',
    path: '/identity-providers',
    id: 'createIdentityProvider',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'Add an identity provider',
    status: 201,
    body: z.strictObject({
      ...fields,
      scopes: fields.scopes.optional(),
      groupsClaim: fields.groupsClaim.optional(),
      allowedDomains: fields.allowedDomains.optional(),
      enabled: fields.enabled.default(true),
      clientSecret: clientSecret.optional(),
    }),
    reply: identityProviderResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: id,
    id: 'updateIdentityProvider',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'Edit an identity provider; null removes an optional value',
    status: 200,
    body: z
      .strictObject({
        ...fields,
        scopes: fields.scopes.nullable(),
        groupsClaim: fields.groupsClaim.nullable(),
        allowedDomains: fields.allowedDomains.nullable(),
        clientSecret: clientSecret.nullable(),
      })
      .partial(),
    reply: identityProviderResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: id,
    id: 'deleteIdentityProvider',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'Delete an identity provider; its people stay, and can no longer sign in',
    status: 204,
  }),
  test: defineRoute({
    method: 'POST',
    path: `${id}/test`,
    id: 'testIdentityProvider',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'Read the provider’s metadata, and get the address for a trial sign-in',
    status: 200,
    reply: z.object({
      redirectUri: z.string(),
      metadata: z
        .object({
          authorizationEndpoint: z.string(),
          tokenEndpoint: z.string(),
          userinfoEndpoint: z.string().optional(),
          namesIssuerInAnswers: z.boolean(),
        })
        .optional(),
      problem: z.string().optional().describe('Why the metadata cannot be used.'),
      trialUrl: z
        .string()
        .optional()
        .describe(
          'Open it in a browser within ten minutes: it shows what the provider says, and signs no one in.',
        ),
    }),
  }),
  trial: defineRoute({
    method: 'GET',
    path: `${id}/trial`,
    id: 'getIdentityProviderTrial',
    tag: 'identity-providers',
    access: 'owner',
    summary: 'Show the claims of the last trial sign-in, and what they map to',
    status: 200,
    reply: z.object({
      at: timestamp.optional(),
      claims: z.record(z.string(), z.unknown()).optional(),
      values: z.array(z.string()).describe('Groups and roles found in the claims.'),
      groups: z.array(z.string()).describe('Names of the groups that these match.'),
      role: z.enum(['none', 'viewer', 'editor', 'owner']),
      allowed: z.boolean().describe('Whether this account could sign in.'),
    }),
  }),
};
