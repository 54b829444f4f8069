import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/call.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import { paramHeadersOf, withoutParamHeaders } from './param-headers.ts';

/** The tools of a server that this caller may call, in the server's own order. */
export function toolsFor(view: ServerView, caller: Caller): readonly ListedTool[] {
  const allowed = caller.toolIds;
  return allowed ? view.tools.filter((listed) => allowed.has(listed.compiled.tool.id)) : view.tools;
}

/** The tool of that name, unless there is none or the caller may not call it: one answer for both, so that none is betrayed. */
export function findTool(view: ServerView, caller: Caller, name: string): ListedTool | undefined {
  const listed = view.byName.get(name);
  if (listed && caller.toolIds && !caller.toolIds.has(listed.compiled.tool.id)) return undefined;
  return listed;
}

/** A tool as `tools/list` shows it. */
export function toolDefinition(listed: ListedTool): McpTool {
  const { tool, inputSchema, outputSchema } = listed.compiled;
  return {
    name: listed.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: listed.description,
    inputSchema: honestSchema(inputSchema) as McpTool['inputSchema'],
    ...(outputSchema && { outputSchema: outputSchema as McpTool['outputSchema'] }),
    annotations: { ...tool.annotations },
  };
}

// A declaration of mirrored headers that breaks the rules is not shown: clients must drop such a tool altogether.
function honestSchema(schema: JsonSchema): JsonSchema {
  return paramHeadersOf(schema) === null ? withoutParamHeaders(schema) : schema;
}
