import { z } from 'zod';
import { authScheme, limits, pageOf, pageQuery, slug, timestamp, versioned } from './common.ts';
import { defineRoute } from './route.ts';

const parameterRules = z.object({
  headers: z.enum(['expose', 'hide']).optional(),
  cookies: z.enum(['expose', 'hide']).optional(),
  fix: z.record(z.string(), z.string()).optional(),
});

const source = z.object({
  kind: z.enum(['openapi', 'postman', 'har', 'curl', 'handsai', 'handrail']),
  url: z.string().optional(),
  documentHash: z.string(),
  importedAt: timestamp,
  watchEveryMs: z.number().optional(),
  approveChanges: z.boolean().optional(),
  rules: parameterRules.optional().describe('What becomes of header and cookie parameters at a refresh.'),
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

const editable = {
  name: z.string().min(1).max(200),
  description: z.string().max(10_000),
  baseUrl: z.string().max(2_000),
  headers: z.record(z.string(), z.string()).describe('Sent with every request.'),
  auth: authScheme.describe('How the API wants to be authenticated; the secret itself is a credential.'),
  limits,
  egressAllow: z.array(z.string()).describe('Narrows the installation’s egress allow-list for this API.'),
  forwardHeaders: z.array(z.string()).describe('Client headers that are passed on, by name.'),
  sharedCredential: z.boolean(),
  probe: z
    .strictObject({ path: z.string().max(2_000), everyMs: z.number().int().min(1_000) })
    .describe('A path that is asked now and then; an API that does not answer it is unhealthy.'),
  listUnhealthy: z.boolean().describe('Keep listing its tools while it is unhealthy.'),
  enabled: z.boolean(),
};

/** What an API can do without: null takes it away. */
const clearable = {
  description: editable.description.nullable(),
  egressAllow: editable.egressAllow.nullable(),
  forwardHeaders: editable.forwardHeaders.nullable(),
  sharedCredential: editable.sharedCredential.nullable(),
  probe: editable.probe.nullable(),
  listUnhealthy: editable.listUnhealthy.nullable(),
};

const watching = {
  watchEveryMs: z
    .number()
    .int()
    .min(60_000)
    .nullable()
    .describe('Look at the address it came from this often; null stops it.'),
  approveChanges: z.boolean().describe('Tools whose meaning changes upstream wait for approval.'),
};

/** An API as the admin API shows it. */
export const apiResource = z
  .object({
    ...versioned,
    slug,
    name: z.string(),
    description: z.string().optional(),
    baseUrl: z.string(),
    otherBaseUrls: z.array(z.string()).optional(),
    headers: z.record(z.string(), z.string()),
    auth: authScheme,
    limits,
    egressAllow: z.array(z.string()).optional(),
    forwardHeaders: z.array(z.string()).optional(),
    sharedCredential: z.boolean().optional(),
    probe: editable.probe.optional(),
    listUnhealthy: z.boolean().optional(),
    healthy: z.boolean(),
    enabled: z.boolean(),
    builtIn: z.boolean(),
    source: source.optional(),
    toolCount: z.number().int(),
    pendingCount: z.number().int().describe('Tools with a change that waits for approval.'),
    hasCredential: z.boolean(),
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
    body: z.strictObject({ slug, ...editable, ...clearable, ...watching }).partial(),
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
