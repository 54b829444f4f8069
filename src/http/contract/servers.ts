import { z } from 'zod';
import {
  accessRuleFields as ruleFields,
  introspectionFields,
  policyFields,
  promptFields,
  resourceFields,
  scopeText,
  serverFields,
  toolOverride,
} from '../../domain/server.ts';
import { described, list, object, omit, optional, record, text, variants } from '../../lib/schema/schema.ts';
import { jsonSchema, pageOf, pageQuery, slug, versioned } from './common.ts';
import { fieldsFromDomain, fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const selector = z.union([
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ api: z.string(), tag: z.string().optional() }),
  z.strictObject({ tag: z.string() }),
  z.strictObject({ tool: z.string() }),
]);

/** A selection of tools, in every accepted form. */
export const toolSelection = z
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

const reference = text({ min: 1, max: 500 });

const policy = fromDomain(
  variants('kind', {
    ...policyFields,
    oauth: {
      ...policyFields.oauth,
      introspection: optional(
        described(
          object({
            ...omit(introspectionFields, 'sealed'),
            clientSecret: optional(
              described(
                text({ min: 1, max: 10_000 }),
                'Stored sealed and never shown; when omitted, the secret stored for this issuer, address and client stays.',
              ),
            ),
          }),
          'Validate each token with the issuer (RFC 7662), for tokens that are not signed or can be revoked.',
        ),
      ),
      toolScopes: optional(
        described(
          record(scopeText, list(reference, { max: 100_000 }), { max: 10_000 }),
          'Ids or names of the tools that a scope gives access to; absent means that every token can use every tool.',
        ),
      ),
    },
  }),
);

const { kinds, ratePerMinute: ruleRate } = ruleFields;

const prompt = object({ ...promptFields, arguments: optional(promptFields.arguments) });

const resource = object({
  ...resourceFields,
  toolId: optional(
    described(reference, 'Id or name of a GET tool that provides the content instead of a text.'),
  ),
});

const editable = {
  ...fieldsFromDomain(
    omit(serverFields, 'slug', 'tools', 'overrides', 'policy', 'access', 'prompts', 'resources'),
  ),
  tools: toolSelection,
  overrides: fromDomain(described(record(reference, toolOverride, { max: 100_000 }), 'By tool id or name.')),
  policy: z.union([
    policy,
    z.enum(['open', 'key', 'basic', 'sign-in']).transform((kind) => ({ kind }) as const),
  ]),
  access: z
    .array(
      z.strictObject({
        group: z.string().min(1).max(200).optional().describe('A group by ID or name.'),
        person: z.string().min(1).max(200).optional().describe('A person by ID.'),
        ...z.object(fieldsFromDomain({ kinds, ratePerMinute: ruleRate })).partial().shape,
        tools: toolSelection.optional(),
      }),
    )
    .max(500)
    .describe(serverFields.access.optional.says!),
  prompts: fromDomain(list(prompt, { max: 1_000 })),
  resources: fromDomain(list(resource, { max: 10_000 })),
};

/** Optional fields of a server: null removes the value. */
const clearable = {
  description: editable.description.nullable(),
  instructions: editable.instructions.nullable(),
  icons: editable.icons.nullable(),
  dialect: editable.dialect.nullable(),
  prompts: editable.prompts.nullable(),
  resources: editable.resources.nullable(),
  pageSize: editable.pageSize.nullable(),
  ttlMs: editable.ttlMs.nullable(),
  explorerReadOnly: editable.explorerReadOnly.nullable(),
  allowAddresses: editable.allowAddresses.nullable(),
  mode: editable.mode.nullable(),
  clientModes: editable.clientModes.nullable(),
  listOutputSchemas: editable.listOutputSchemas.nullable(),
  replyMaxTokens: editable.replyMaxTokens.nullable(),
  selectArgument: editable.selectArgument.nullable(),
  pageArguments: editable.pageArguments.nullable(),
  piiRules: editable.piiRules.nullable(),
  code: editable.code.nullable(),
  access: editable.access.nullable(),
};

/** A server as the admin API shows it. */
export const serverResource = z
  .object({
    ...versioned,
    slug,
    name: editable.name,
    description: editable.description.optional(),
    instructions: editable.instructions.optional(),
    icons: editable.icons.optional(),
    tools: z.array(selector),
    overrides: editable.overrides,
    policy,
    access: z
      .array(
        z.object({
          group: z.string().optional(),
          person: z.string().optional(),
          kinds: z.array(z.enum(['read', 'write', 'destructive'])).optional(),
          tools: z.array(selector).optional(),
          ratePerMinute: z.number().int().optional(),
        }),
      )
      .optional(),
    ratePerMinute: editable.ratePerMinute,
    dialect: editable.dialect.optional(),
    prompts: fromDomain(serverFields.prompts.optional).optional(),
    resources: fromDomain(serverFields.resources.optional).optional(),
    pageSize: editable.pageSize.optional(),
    ttlMs: editable.ttlMs.optional(),
    explorerReadOnly: editable.explorerReadOnly.optional(),
    allowAddresses: editable.allowAddresses.optional(),
    mode: editable.mode,
    clientModes: editable.clientModes.optional(),
    listOutputSchemas: editable.listOutputSchemas.optional(),
    replyMaxTokens: editable.replyMaxTokens.optional(),
    selectArgument: editable.selectArgument.optional(),
    pageArguments: editable.pageArguments.optional(),
    piiRules: editable.piiRules.optional(),
    code: editable.code.optional(),
    enabled: editable.enabled,
    url: z.string().describe('Where MCP clients connect.'),
    toolCount: z.number().int(),
  })
  .meta({ id: 'Server' });

export const serverRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/servers',
    id: 'listServers',
    tool: true,
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
    tool: {
      fields: [
        'slug',
        'name',
        'description',
        'instructions',
        'tools',
        'overrides',
        'access',
        'mode',
        'dialect',
        'replyMaxTokens',
        'selectArgument',
        'pageArguments',
        'listOutputSchemas',
      ],
      // Not open, which is the default on a loopback address: who may use it is decided by people.
      always: { policy: 'sign-in' },
    },
    tag: 'servers',
    access: 'editor',
    summary: 'Publish a server',
    status: 201,
    body: z.strictObject({ slug, ...z.object(editable).partial().shape, tools: toolSelection }),
    reply: serverResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/servers/:server',
    id: 'getServer',
    tool: true,
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
    tool: {
      fields: [
        'name',
        'description',
        'instructions',
        'mode',
        'dialect',
        'replyMaxTokens',
        'selectArgument',
        'pageArguments',
        'listOutputSchemas',
      ],
    },
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
    tool: true,
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
    summary: 'Delete a server',
    status: 204,
  }),
};
