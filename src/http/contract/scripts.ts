import { z } from 'zod';
import { toolKinds } from '../../domain/tool.ts';
import { jsonSchema } from './common.ts';
import { defineRoute } from './route.ts';

const milliseconds = z.number().describe('Milliseconds since the start of the run.');

export const scriptRoutes = {
  run: defineRoute({
    method: 'POST',
    path: '/servers/:server/run',
    id: 'runScript',
    tag: 'servers',
    access: 'editor',
    status: 200,
    summary: 'Run a script against a server as models in code mode do; a failed script returns ok: false',
    body: z.strictObject({
      code: z.string().min(1).describe('The body of an async function, in JavaScript or TypeScript.'),
      surface: z.enum(['admin', 'cli']).default('admin'),
    }),
    reply: z.object({
      runId: z.string().describe('Id of its call record, which is the parent of the records of its calls.'),
      ok: z.boolean(),
      result: z.string().describe('Return value of the script, as JSON; empty when it returned nothing.'),
      error: z
        .object({ code: z.string(), message: z.string(), line: z.number().int().optional() })
        .optional(),
      printed: z.array(z.string()),
      shown: z.array(z.string()),
      calls: z.array(
        z.object({
          callId: z.string(),
          tool: z.string().describe('How the script calls it: tools.api.tool.'),
          kind: z.enum(toolKinds),
          startMs: milliseconds,
          durationMs: z.number().nullable(),
          outcome: z.string().nullable().describe('ok or an error code; null when unknown.'),
          status: z.number().int().nullable(),
          tokens: z.number().int().describe('Estimated tokens a model would have read of the reply.'),
        }),
      ),
      durationMs: z.number(),
      cpuMs: z.number(),
      memoryBytes: z.number().int(),
      tokens: z.object({
        result: z
          .number()
          .int()
          .describe('Estimated tokens a model reads of the result and the printed output.'),
        direct: z
          .number()
          .int()
          .describe('Estimated tokens it would have read if it had made the same calls one by one.'),
      }),
    }),
  }),
  tools: defineRoute({
    method: 'GET',
    path: '/servers/:server/script-tools',
    id: 'listScriptTools',
    tag: 'servers',
    access: 'viewer',
    status: 200,
    summary: 'List the tools that scripts on a server may call, as they call them',
    reply: z.object({ paths: z.array(z.string()).describe('tools.api.tool.') }),
  }),
  declaration: defineRoute({
    method: 'GET',
    path: '/servers/:server/declaration',
    id: 'declareTool',
    tag: 'servers',
    access: 'viewer',
    status: 200,
    summary: 'Describe a tool for script authors: its TypeScript types and its schemas',
    query: z.strictObject({ tool: z.string().min(1).max(500).describe('tools.api.tool, or its name.') }),
    reply: z.object({
      path: z.string(),
      toolId: z.string(),
      kind: z.enum(toolKinds),
      declaration: z.string().describe('TypeScript.'),
      inputSchema: jsonSchema,
      replySchema: jsonSchema.optional().describe('Absent when the shape of its replies is unknown.'),
    }),
  }),
};
