import { z } from 'zod';
import { apiFields, parameterRules, sourceKinds, watchInterval } from '../../domain/api.ts';
import { originText } from '../../domain/fields/addresses.ts';
import { omit } from '../../lib/schema/schema.ts';
import { pageOf, pageQuery, slug, timestamp, versioned } from './common.ts';
import { fieldsFromDomain, fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const source = z.object({
  kind: z.enum(sourceKinds),
  url: z.string().optional(),
  documentHash: z.string(),
  importedAt: timestamp,
  watchEveryMs: z.number().optional(),
  approveChanges: z.boolean().optional(),
  rules: fromDomain(parameterRules).optional().describe('How a refresh treats header and cookie parameters.'),
  overlays: z.array(z.string()).optional().describe('Names of the overlays that a refresh applies.'),
  lastLook: z
    .object({
      at: timestamp,
      result: z
        .enum(['unchanged', 'found', 'applied', 'failed'])
        .describe('"found" changes are waiting to be applied; "applied" ones are live.'),
      added: z.number().int().optional(),
      changed: z.number().int().optional(),
      removed: z.number().int().optional(),
      message: z.string().optional().describe('Why it failed.'),
    })
    .optional()
    .describe('The last check of its source URL; only when a single API is requested.'),
});

/** An origin other than the base URL that the document sends operations to. */
export const documentOrigin = z.object({
  origin: z.string(),
  tools: z.number().int(),
  agreed: z
    .boolean()
    .describe(
      'An owner allowed sending the API’s secrets there; otherwise calls that need them are rejected.',
    ),
});

const editable = fieldsFromDomain(omit(apiFields, 'slug', 'otherBaseUrls', 'serverTemplate'));

/** Optional fields of an API: null removes the value. */
const clearable = {
  description: editable.description.nullable(),
  egressAllow: editable.egressAllow.nullable(),
  forwardHeaders: editable.forwardHeaders.nullable(),
  allowHeaders: editable.allowHeaders.nullable(),
  sharedCredential: editable.sharedCredential.nullable(),
  ownAccounts: editable.ownAccounts.nullable(),
  identity: editable.identity.nullable(),
  probe: editable.probe.nullable(),
  listUnhealthy: editable.listUnhealthy.nullable(),
  ignoreErrorBodies: editable.ignoreErrorBodies.nullable(),
  piiRules: editable.piiRules.nullable(),
};

const watching = {
  watchEveryMs: fromDomain(watchInterval)
    .nullable()
    .describe('How often to check the source URL for changes; null turns it off.'),
  approveChanges: z.boolean().describe('Tools whose meaning changes upstream wait for approval.'),
};

const overlays = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(500),
      text: z
        .string()
        .min(1)
        .max(2_000_000)
        .optional()
        .describe('Omit it for an overlay that is already stored.'),
    }),
  )
  .max(20)
  .describe('OpenAPI Overlays that the next refresh applies, in this order.');

const serverVariables = z
  .record(z.string().max(200), z.string().max(2_000))
  .describe('Values for the variables of `serverTemplate`; the base URL is rebuilt from them.');

/** An API as the admin API shows it. */
export const apiResource = z
  .object({
    ...versioned,
    slug,
    name: editable.name,
    description: editable.description.optional(),
    baseUrl: editable.baseUrl,
    otherBaseUrls: fromDomain(apiFields.otherBaseUrls.optional).optional(),
    serverTemplate: fromDomain(apiFields.serverTemplate.optional)
      .optional()
      .describe('The base URL as written in the document, with variables.'),
    headers: editable.headers,
    auth: editable.auth,
    limits: editable.limits,
    egressAllow: editable.egressAllow.optional(),
    forwardHeaders: editable.forwardHeaders.optional(),
    allowHeaders: editable.allowHeaders.optional(),
    sharedCredential: editable.sharedCredential.optional(),
    ownAccounts: editable.ownAccounts.optional(),
    identity: editable.identity.optional(),
    probe: editable.probe.optional(),
    listUnhealthy: editable.listUnhealthy.optional(),
    ignoreErrorBodies: editable.ignoreErrorBodies.optional(),
    piiRules: editable.piiRules.optional(),
    healthy: z.boolean(),
    enabled: z.boolean(),
    builtIn: z.boolean(),
    source: source.optional(),
    toolCount: z.number().int(),
    pendingCount: z.number().int().describe('Tools with a change waiting for approval.'),
    removedCount: z
      .number()
      .int()
      .describe('Tools that the document no longer has; they are remembered in case they return.'),
    hasCredential: z.boolean(),
    origins: z.array(documentOrigin).describe('Other origins that its document sends operations to.'),
  })
  .meta({ id: 'Api' });

export const apiRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/apis',
    id: 'listApis',
    tool: true,
    tag: 'apis',
    access: 'viewer',
    summary: 'List the registered APIs',
    status: 200,
    query: pageQuery.extend({ search: z.string().max(200).optional() }),
    reply: pageOf(apiResource),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/apis',
    id: 'createApi',
    tag: 'apis',
    access: 'editor',
    summary: 'Register an API',
    status: 201,
    body: z.strictObject({ slug, ...z.object(editable).partial().shape, baseUrl: editable.baseUrl }),
    reply: apiResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/apis/:api',
    id: 'getApi',
    tool: true,
    tag: 'apis',
    access: 'viewer',
    summary: 'Show one API, by id or slug',
    status: 200,
    reply: apiResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/apis/:api',
    id: 'updateApi',
    tag: 'apis',
    access: 'editor',
    status: 200,
    summary: 'Edit an API; changing its base URL or authentication deletes its stored credentials',
    body: z
      .strictObject({ slug, ...editable, ...clearable, ...watching, overlays, serverVariables })
      .partial(),
    reply: apiResource,
  }),
  agreeToOrigin: defineRoute({
    method: 'POST',
    path: '/apis/:api/origins',
    id: 'agreeToOrigin',
    tag: 'apis',
    access: 'owner',
    summary: 'Allow or stop sending an API’s secrets to an origin that its document names for operations',
    status: 200,
    body: z.strictObject({ origin: fromDomain(originText), agree: z.boolean() }),
    reply: apiResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/apis/:api',
    id: 'deleteApi',
    tag: 'apis',
    access: 'editor',
    summary: 'Delete an API with its tools and credentials',
    status: 204,
  }),
};
