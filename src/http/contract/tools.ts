import { z } from 'zod';
import {
  operation as storedOperation,
  operationFields,
  pagesHaveTheirArguments,
  parameterFields,
} from '../../domain/operation.ts';
import { toolFields } from '../../domain/tool.ts';
import { choice, described, list, object, optional, text, withRule } from '../../lib/schema/schema.ts';
import { jsonSchema, pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { fieldsFromDomain, fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

/** HandsAI's type names, for parameters without a schema. */
const handsaiType = choice('STRING', 'NUMBER', 'BOOLEAN', 'ARRAY', 'OBJECT');

const parameterInput = object({
  ...parameterFields,
  schema: optional(parameterFields.schema),
  required: optional(parameterFields.required),
  type: optional(described(handsaiType, 'HandsAI’s type, instead of a schema.')),
});

/** An operation as clients send it; fewer fields are required than in the stored form. */
export const operationInput = withRule(
  object({
    ...operationFields,
    method: text({ min: 1, max: 20 }),
    parameters: optional(list(parameterInput, { max: 10_000 })),
  }),
  pagesHaveTheirArguments,
);

export const operation = fromDomain(operationInput).meta({ id: 'Operation' });

const editable = { ...fieldsFromDomain(toolFields), operation };

/** A tool as the admin API shows it. */
export const toolResource = z
  .object({
    ...versioned,
    api: z.string().describe('Slug of its API.'),
    apiId: z.string(),
    ...editable,
    operation: fromDomain(storedOperation).meta({ id: 'StoredOperation' }),
    title: editable.title.optional(),
    deprecated: editable.deprecated.optional(),
    scrubArguments: editable.scrubArguments.optional(),
    inputSchema: jsonSchema,
    heldBack: z
      .array(z.object({ parameter: z.string(), why: z.string() }))
      .optional()
      .describe(
        'Parameters that callers cannot set because they are reserved for the operator; none when absent.',
      ),
    outputSchema: jsonSchema.nullable(),
    operationKey: z.string().optional().describe('The operation it was imported from.'),
    pendingChange: z.boolean().describe('A newer version from an import is waiting for approval.'),
    waiting: z
      .enum(['new', 'returned', 'leaving', 'changed'])
      .nullable()
      .describe('An import change waiting for approval; a new or returned tool is not served until then.'),
  })
  .meta({ id: 'Tool' });

/** The result of a trial call. */
export const triedCall = z.object({
  callId: z.string(),
  ok: z.boolean(),
  content: z.array(z.record(z.string(), z.unknown())).describe('MCP content.'),
  structuredContent: z.unknown().optional(),
  upstreamStatus: z.number().nullable(),
  durationMs: z.number(),
  file: z
    .object({
      handle: z.string(),
      name: z.string(),
      type: z.string(),
      bytes: z.number(),
      sha256: z.string(),
      path: z.string().describe('Download path on this gateway; it needs no other authentication.'),
      until: timestamp.describe('When the path expires.'),
    })
    .optional()
    .describe('The reply is a file, which is stored instead of included here.'),
  error: z.object({ code: z.string(), message: z.string(), fault: z.string(), retry: z.string() }).optional(),
  waiting: z
    .object({
      id: z.string().describe('Stays the same across repeated calls.'),
      for: z.enum(['person', 'api']),
      message: z.string().describe('What the call is waiting for.'),
      since: timestamp,
      askAgainAfterMs: z.number().nullable().describe('How long to wait before calling again.'),
      expiresAt: timestamp.nullable(),
      how: z.string().optional().describe('How to get the result, if not by repeating the call.'),
    })
    .optional()
    .describe('There is no result yet: repeat the call to get it, or follow `how` if present.'),
});

/** A request as it would be sent, without its credential. */
export const shownRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
});

export const toolRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/tools',
    id: 'listTools',
    tool: true,
    tag: 'tools',
    access: 'viewer',
    summary: 'List tools',
    status: 200,
    query: pageQuery.extend({
      api: z.string().optional().describe('Id or slug.'),
      server: z.string().optional().describe('Id or slug: only tools of this server.'),
      tag: z.string().optional(),
      enabled: z.stringbool().optional(),
      search: z.string().max(200).optional(),
    }),
    reply: pageOf(toolResource),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/tools',
    id: 'createTool',
    tag: 'tools',
    access: 'editor',
    summary: 'Add a tool to an API',
    status: 201,
    body: z.strictObject({
      api: z.string().min(1).describe('Id or slug of the API.'),
      ...z.object(editable).partial().shape,
      name: editable.name,
      description: editable.description,
      operation,
    }),
    reply: toolResource,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/tools/:tool',
    id: 'getTool',
    tool: true,
    tag: 'tools',
    access: 'viewer',
    summary: 'Show one tool, by id or unique name',
    status: 200,
    reply: toolResource,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/tools/:tool',
    id: 'updateTool',
    tag: 'tools',
    access: 'editor',
    summary: 'Edit a tool',
    status: 200,
    body: z.strictObject(editable).partial(),
    reply: toolResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/tools/:tool',
    id: 'deleteTool',
    tag: 'tools',
    access: 'editor',
    summary: 'Delete a tool',
    status: 204,
  }),
  call: defineRoute({
    method: 'POST',
    path: '/tools/:tool/call',
    id: 'callTool',
    tag: 'tools',
    access: 'editor',
    status: 200,
    summary: 'Call a tool through the whole pipeline; a failed call returns ok: false',
    body: z.strictObject({
      arguments: z.record(z.string(), z.unknown()).default({}),
      server: z.string().default('default').describe('Id or slug of the server to call it through.'),
      surface: z.enum(['admin', 'cli']).default('admin'),
      all: z.boolean().default(false).describe('Fetch all pages of a list.'),
      maxItems: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe('Maximum number of records from all pages together.'),
      wait: z.boolean().default(false).describe('Wait until a job that the call starts is finished.'),
    }),
    reply: triedCall,
  }),
  requestUpload: defineRoute({
    method: 'POST',
    path: '/uploads',
    id: 'requestUpload',
    tag: 'tools',
    access: 'editor',
    status: 201,
    summary:
      'Create an upload path for a file that is too large for call arguments; send the file with one PUT',
    body: z.strictObject({
      server: z.string().default('default').describe('Id or slug of the server to call the tool through.'),
      surface: z.enum(['admin', 'cli']).default('admin'),
    }),
    reply: z.object({
      handle: z.string().describe('Value for the file argument of a tool, once the file is uploaded.'),
      path: z
        .string()
        .describe(
          'Upload path on this gateway; it needs no other authentication; `?name=` sets the file name.',
        ),
      until: timestamp.describe('When the path expires.'),
      maxBytes: z.number().describe('Maximum file size.'),
    }),
  }),
  shapePreview: defineRoute({
    method: 'POST',
    path: '/tools/:tool/shape-preview',
    id: 'previewShape',
    tag: 'tools',
    access: 'editor',
    summary: 'Preview how shaping changes a reply, with its size before and after',
    status: 200,
    body: z.strictObject({
      reply: editable.reply.describe('The shaping to try.'),
      sample: z
        .discriminatedUnion('from', [
          z.strictObject({ from: z.literal('recent') }).describe('The last recorded reply of this tool.'),
          z
            .strictObject({
              from: z.literal('call'),
              arguments: z.record(z.string(), z.unknown()).default({}),
            })
            .describe('A fresh call.'),
          z.strictObject({ from: z.literal('given'), text: z.string().max(2_000_000) }),
        ])
        .default({ from: 'recent' }),
    }),
    reply: z.object({
      before: z.object({ text: z.string(), bytes: z.number(), tokens: z.number() }),
      after: z.object({ text: z.string(), bytes: z.number(), tokens: z.number() }),
      sample: z.object({
        callId: z.string().nullable(),
        cut: z.boolean().describe('The recorded reply was too long to store in full.'),
        shaped: z.boolean().describe('It was recorded after the tool’s current shaping was applied.'),
      }),
      problem: z.string().nullable().describe('Why the shaping cannot be used on this reply.'),
    }),
  }),
  preview: defineRoute({
    method: 'POST',
    path: '/tools/:tool/preview',
    id: 'previewRequest',
    tool: true,
    tag: 'tools',
    access: 'viewer',
    status: 200,
    summary: 'Show the request these arguments would produce, without its credential',
    body: z.strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) }),
    reply: shownRequest,
  }),
};
