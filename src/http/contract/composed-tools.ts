import { z } from 'zod';
import { composedContentFields } from '../../domain/composed-tool.ts';
import { toolKinds } from '../../domain/tool.ts';
import { pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { fieldsFromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';
import { triedCall } from './tools.ts';

const fields = fieldsFromDomain(composedContentFields);

const editable = {
  ...fields,
  tools: z.array(z.string().min(1).max(500)).max(500),
  enabled: z.boolean(),
};

const toolsHelp =
  'Ids or names of the only tools that its script may call; its kind is the strongest of theirs.';

const content = {
  ...fields,
  title: fields.title.optional(),
  tools: z.array(z.string()).describe('Ids.'),
};

/** A script that was saved as a tool, as the admin API shows it. */
export const composedResource = z
  .object({
    ...versioned,
    server: z.string().describe('Slug of its server.'),
    serverId: z.string(),
    ...content,
    enabled: z.boolean(),
    kind: z.enum(toolKinds).describe('The strongest of the tools that it may call.'),
    calls: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().describe('Its name on the server; its id if the server does not have it.'),
          kind: z.enum(toolKinds).nullable(),
          served: z.boolean(),
        }),
      )
      .describe('The tools that it may call.'),
    served: z.boolean().describe('Whether models see it: it and all the tools it may call are enabled.'),
    version: z.number().int(),
    savedAt: timestamp,
    savedBy: z.string(),
  })
  .meta({ id: 'ComposedTool' });

const versionResource = z
  .object({ number: z.number().int(), savedAt: timestamp, savedBy: z.string(), ...content })
  .meta({ id: 'ComposedToolVersion' });

export const composedToolRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/composed-tools',
    id: 'listComposedTools',
    tag: 'composed-tools',
    access: 'viewer',
    summary: 'List scripts that were saved as tools',
    status: 200,
    query: pageQuery.extend({
      server: z.string().optional().describe('Id or slug: only those of this server.'),
    }),
    reply: pageOf(composedResource),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/composed-tools',
    id: 'createComposedTool',
    tag: 'composed-tools',
    access: 'editor',
    summary: 'Save a script as a tool of a server',
    status: 201,
    body: z.strictObject({
      ...editable,
      server: z.string().min(1).describe('Id or slug of the server to add it to.'),
      title: editable.title.optional(),
      inputSchema: editable.inputSchema.optional(),
      tools: editable.tools.optional().describe(`${toolsHelp} Defaults to the tools named in the code.`),
      enabled: editable.enabled.optional(),
    }),
    reply: composedResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/composed-tools/:tool',
    id: 'getComposedTool',
    tag: 'composed-tools',
    access: 'viewer',
    summary: 'Show one composed tool, by id or server/name',
    status: 200,
    reply: composedResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/composed-tools/:tool',
    id: 'updateComposedTool',
    tag: 'composed-tools',
    access: 'editor',
    summary: 'Edit a composed tool; changing its content creates a new version',
    status: 200,
    body: z
      .strictObject({
        ...editable,
        title: editable.title.nullable(),
        tools: editable.tools.nullable().describe(`${toolsHelp} Null means the tools named in the code.`),
      })
      .partial(),
    reply: composedResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/composed-tools/:tool',
    id: 'deleteComposedTool',
    tag: 'composed-tools',
    access: 'editor',
    summary: 'Delete a composed tool with all its versions',
    status: 204,
  }),
  versions: defineRoute({
    method: 'GET',
    path: '/composed-tools/:tool/versions',
    id: 'listComposedToolVersions',
    tag: 'composed-tools',
    access: 'viewer',
    summary: 'List the versions of a composed tool, newest first',
    status: 200,
    reply: z.object({ items: z.array(versionResource) }),
  }),
  restore: defineRoute({
    method: 'POST',
    path: '/composed-tools/:tool/restore',
    id: 'restoreComposedTool',
    tag: 'composed-tools',
    access: 'editor',
    summary: 'Restore an earlier version of a composed tool, as a new version',
    status: 200,
    body: z.strictObject({ version: z.number().int().min(1) }),
    reply: composedResource,
  }),
  call: defineRoute({
    method: 'POST',
    path: '/composed-tools/:tool/call',
    id: 'callComposedTool',
    tag: 'composed-tools',
    access: 'editor',
    summary: 'Try a composed tool; the calls it makes are recorded as its children',
    status: 200,
    body: z.strictObject({
      arguments: z.record(z.string(), z.unknown()).default({}),
      surface: z.enum(['admin', 'cli']).default('admin'),
    }),
    reply: triedCall,
  }),
};
