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

/** HandsAI's names of types, for parameters given without a schema. */
const handsaiType = choice('STRING', 'NUMBER', 'BOOLEAN', 'ARRAY', 'OBJECT');

const parameterInput = object({
  ...parameterFields,
  schema: optional(parameterFields.schema),
  required: optional(parameterFields.required),
  type: optional(described(handsaiType, 'HandsAI’s type, instead of a schema.')),
});

/** An operation as it is sent: less is asked for than is stored. */
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
        'Parameters that callers cannot fill, because their place is the operator’s; none when absent.',
      ),
    outputSchema: jsonSchema.nullable(),
    operationKey: z.string().optional().describe('The operation it was imported from.'),
    pendingChange: z.boolean().describe('A newer version from an import waits for approval.'),
    waiting: z
      .enum(['new', 'returned', 'leaving', 'changed'])
      .nullable()
      .describe('What an import left for a person to decide; while it is new or returned, it is not served.'),
  })
  .meta({ id: 'Tool' });

/** What became of a call that was made to try a tool. */
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
      path: z.string().describe('Has the bytes, below the address of this gateway, without any other proof.'),
      until: timestamp.describe('When the path ends.'),
    })
    .optional()
    .describe('The reply is a file that is kept instead of being part of this answer.'),
  error: z.object({ code: z.string(), message: z.string(), fault: z.string(), retry: z.string() }).optional(),
  waiting: z
    .object({
      id: z.string().describe('Stays the same however often it is asked for.'),
      for: z.enum(['person', 'api']),
      message: z.string().describe('What is waited for.'),
      since: timestamp,
      askAgainAfterMs: z.number().nullable().describe('How long to leave it before calling again.'),
      expiresAt: timestamp.nullable(),
      how: z.string().optional().describe('How to ask for it, where that is not the same call once more.'),
    })
    .optional()
    .describe('There is no result yet: make the same call again to ask for it, unless it says how.'),
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
    tag: 'tools',
    access: 'viewer',
    summary: 'List tools',
    status: 200,
    query: pageQuery.extend({
      api: z.string().optional().describe('Id or slug.'),
      server: z.string().optional().describe('Id or slug: only tools this server chose.'),
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
    tag: 'tools',
    access: 'viewer',
    summary: 'Show one tool, by id or by a name only it has',
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
    summary: 'Call a tool through the whole pipeline; a failed call is an answer with ok: false',
    body: z.strictObject({
      arguments: z.record(z.string(), z.unknown()).default({}),
      server: z.string().default('default').describe('Id or slug of the server to call it through.'),
      surface: z.enum(['admin', 'cli']).default('admin'),
      all: z.boolean().default(false).describe('Gather every page of the list that it returns.'),
      maxItems: z.number().int().min(1).optional().describe('The most records of all pages together.'),
      wait: z.boolean().default(false).describe('Wait for the end of a job that it only begins.'),
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
    summary: 'Make a place for a file that is too large for the arguments of a call; one PUT fills it',
    body: z.strictObject({
      server: z
        .string()
        .default('default')
        .describe('Id or slug of the server that a tool is called through.'),
      surface: z.enum(['admin', 'cli']).default('admin'),
    }),
    reply: z.object({
      handle: z.string().describe('What a tool is given as its file, once the file is there.'),
      path: z
        .string()
        .describe(
          'Takes the file, below the address of this gateway, without any other proof; `?name=` names it.',
        ),
      until: timestamp.describe('When the path ends.'),
      maxBytes: z.number().describe('The largest file.'),
    }),
  }),
  shapePreview: defineRoute({
    method: 'POST',
    path: '/tools/:tool/shape-preview',
    id: 'previewShape',
    tag: 'tools',
    access: 'editor',
    summary: 'Show what a way of shaping makes of a reply, with its size before and after',
    status: 200,
    body: z.strictObject({
      reply: editable.reply.describe('The shaping to try.'),
      sample: z
        .discriminatedUnion('from', [
          z.strictObject({ from: z.literal('recent') }).describe('The latest recorded reply of this tool.'),
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
        cut: z.boolean().describe('The recorded reply was too long to keep whole.'),
        shaped: z.boolean().describe('It was recorded after the shaping that the tool has now.'),
      }),
      problem: z.string().nullable().describe('Why the shaping cannot be used on this reply.'),
    }),
  }),
  preview: defineRoute({
    method: 'POST',
    path: '/tools/:tool/preview',
    id: 'previewRequest',
    tag: 'tools',
    access: 'viewer',
    status: 200,
    summary: 'Show the request these arguments would become, without its credential',
    body: z.strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) }),
    reply: shownRequest,
  }),
};
