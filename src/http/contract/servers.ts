import { z } from 'zod';
import { jsonSchema, pageOf, pageQuery, slug, versioned } from './common.ts';
import { defineRoute } from './route.ts';

const selector = z.union([
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ api: z.string(), tag: z.string().optional() }),
  z.strictObject({ tag: z.string() }),
  z.strictObject({ tool: z.string() }),
]);

const selection = z
  .union([
    z.array(z.union([z.string().min(1), selector])),
    z.strictObject({
      apis: z.array(z.string()).optional(),
      tags: z.array(z.string()).optional(),
      tools: z.array(z.string()).optional(),
    }),
    z.literal('*'),
  ])
  .describe(
    'Which tools: a list of {api}, {api, tag}, {tag}, {tool}, {all: true} or tool names; or {apis, tags, tools}; or "*".',
  );

// RFC 6749 section 3.3.
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope, without spaces or quotes');

const policy = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('open') }),
  z.strictObject({
    kind: z.literal('key'),
    header: z.string().optional(),
    allowQuery: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('basic') }),
  z.strictObject({
    kind: z.literal('oauth'),
    issuer: z.url({ protocol: /^https?$/ }),
    scopes: z.array(scope).optional().describe('Every token needs all of these.'),
    toolScopes: z
      .record(scope, z.array(z.string()))
      .optional()
      .describe(
        'Ids or names of the tools that a scope opens; absent means that every token opens every tool.',
      ),
  }),
]);

const prompt = z.strictObject({
  name: z.string().min(1).max(64),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        description: z.string().optional(),
        required: z.boolean().optional(),
        values: z.array(z.string()).optional(),
      }),
    )
    .default([]),
  text: z.string(),
});

const resource = z.strictObject({
  uri: z.string().min(1).describe('A URI, or a URI template with places for arguments: docs://{topic}.'),
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  toolId: z.string().min(1).optional().describe('Id or name of the GET tool that is read instead of a text.'),
});

const editable = {
  name: z.string().min(1).max(200),
  description: z.string().max(10_000),
  instructions: z.string().max(50_000),
  icons: z.array(
    z.strictObject({
      src: z.string(),
      mimeType: z.string().optional(),
      sizes: z.array(z.string()).optional(),
    }),
  ),
  tools: selection,
  overrides: z
    .record(z.string(), z.strictObject({ name: z.string().optional(), description: z.string().optional() }))
    .describe('By tool id or name.'),
  policy: z.union([policy, z.enum(['open', 'key', 'basic']).transform((kind) => ({ kind }) as const)]),
  ratePerMinute: z.number().int().min(0).describe('Calls a minute for each caller; 0 means no limit.'),
  dialect: z.string(),
  prompts: z.array(prompt),
  resources: z.array(resource),
  pageSize: z.number().int().min(1),
  enabled: z.boolean(),
};

/** What a server can do without: null takes it away. */
const clearable = {
  description: editable.description.nullable(),
  instructions: editable.instructions.nullable(),
  icons: editable.icons.nullable(),
  dialect: editable.dialect.nullable(),
  prompts: editable.prompts.nullable(),
  resources: editable.resources.nullable(),
  pageSize: editable.pageSize.nullable(),
};

/** A server as the admin API shows it. */
export const serverResource = z
  .object({
    ...versioned,
    slug,
    name: z.string(),
    description: z.string().optional(),
    instructions: z.string().optional(),
    icons: editable.icons.optional(),
    tools: z.array(selector),
    overrides: editable.overrides,
    policy,
    ratePerMinute: z.number(),
    dialect: z.string().optional(),
    prompts: z.array(prompt).optional(),
    resources: z.array(resource).optional(),
    pageSize: z.number().optional(),
    enabled: z.boolean(),
    url: z.string().describe('Where MCP clients connect.'),
    toolCount: z.number().int(),
  })
  .meta({ id: 'Server' });

export const serverRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/servers',
    id: 'listServers',
    tag: 'servers',
    access: 'viewer',
    summary: 'List the published servers',
    status: 200,
    query: pageQuery,
    reply: pageOf(serverResource),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/servers',
    id: 'createServer',
    tag: 'servers',
    access: 'editor',
    summary: 'Publish a server',
    status: 201,
    body: z.strictObject({ slug, ...z.object(editable).partial().shape, tools: selection }),
    reply: serverResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/servers/:server',
    id: 'getServer',
    tag: 'servers',
    access: 'viewer',
    summary: 'Show one server, by id or slug',
    status: 200,
    reply: serverResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/servers/:server',
    id: 'updateServer',
    tag: 'servers',
    access: 'editor',
    summary: 'Edit a server',
    status: 200,
    body: z.strictObject({ slug, ...editable, ...clearable }).partial(),
    reply: serverResource,
  }),
  dialect: defineRoute({
    method: 'GET',
    path: '/servers/:server/dialects/:dialect',
    id: 'getServerDialect',
    tag: 'servers',
    access: 'viewer',
    summary: 'Show what a client dialect changes about the tools of a server',
    status: 200,
    reply: z.object({
      dialect: z.string(),
      tools: z.array(
        z.object({
          name: z.string(),
          shownName: z.string().describe('The name that clients of this dialect see.'),
          changes: z.array(
            z.object({ path: z.string().describe('JSON Pointer into the tool.'), change: z.string() }),
          ),
          inputSchema: jsonSchema,
        }),
      ),
    }),
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/servers/:server',
    id: 'deleteServer',
    tag: 'servers',
    access: 'editor',
    summary: 'Take a server away',
    status: 204,
  }),
};
