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
  rules: fromDomain(parameterRules)
    .optional()
    .describe('What becomes of header and cookie parameters at a refresh.'),
  overlays: z.array(z.string()).optional().describe('Names of the overlays that a refresh applies.'),
  lastLook: z
    .object({
      at: timestamp,
      result: z
        .enum(['unchanged', 'found', 'applied', 'failed'])
        .describe('"found" waits to be applied, "applied" is in place.'),
      added: z.number().int().optional(),
      changed: z.number().int().optional(),
      removed: z.number().int().optional(),
      message: z.string().optional().describe('Why it failed.'),
    })
    .optional()
    .describe('The last time its address was asked; only where a single API is shown.'),
});

/** Where a document sends operations besides the API's own address. */
export const documentOrigin = z.object({
  origin: z.string(),
  tools: z.number().int(),
  agreed: z
    .boolean()
    .describe('An owner agreed that the API’s secrets go there; else calls that need them are refused.'),
});

const editable = fieldsFromDomain(omit(apiFields, 'slug', 'otherBaseUrls', 'serverTemplate'));

/** What an API can do without: null takes it away. */
const clearable = {
  description: editable.description.nullable(),
  egressAllow: editable.egressAllow.nullable(),
  forwardHeaders: editable.forwardHeaders.nullable(),
  allowHeaders: editable.allowHeaders.nullable(),
  sharedCredential: editable.sharedCredential.nullable(),
  probe: editable.probe.nullable(),
  listUnhealthy: editable.listUnhealthy.nullable(),
};

const watching = {
  watchEveryMs: fromDomain(watchInterval)
    .nullable()
    .describe('Look at the address it came from this often; null stops it.'),
  approveChanges: z.boolean().describe('Tools whose meaning changes upstream wait for approval.'),
};

const overlays = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(500),
      text: z.string().min(1).max(2_000_000).optional().describe('Left out for one that is kept already.'),
    }),
  )
  .max(20)
  .describe('OpenAPI Overlays that the next refresh applies, in this order.');

const serverVariables = z
  .record(z.string().max(200), z.string().max(2_000))
  .describe('Values for the variables of `serverTemplate`; the base URL is made anew from them.');

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
      .describe('The base URL as the document wrote it, with variables.'),
    headers: editable.headers,
    auth: editable.auth,
    limits: editable.limits,
    egressAllow: editable.egressAllow.optional(),
    forwardHeaders: editable.forwardHeaders.optional(),
    allowHeaders: editable.allowHeaders.optional(),
    sharedCredential: editable.sharedCredential.optional(),
    probe: editable.probe.optional(),
    listUnhealthy: editable.listUnhealthy.optional(),
    healthy: z.boolean(),
    enabled: z.boolean(),
    builtIn: z.boolean(),
    source: source.optional(),
    toolCount: z.number().int(),
    pendingCount: z.number().int().describe('Tools about which something waits for approval.'),
    removedCount: z.number().int().describe('Tools that its document dropped and that are remembered.'),
    hasCredential: z.boolean(),
    origins: z.array(documentOrigin).describe('Where its document sends operations besides the base URL.'),
  })
  .meta({ id: 'Api' });

export const apiRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/apis',
    id: 'listApis',
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
    summary: 'Edit an API; a new address or way of authenticating deletes its stored credentials',
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
    summary: 'Let an API’s secrets go to an origin that its document names for operations, or no longer',
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
