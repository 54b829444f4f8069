import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { type Caller, mayCall } from '../../domain/call.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { renderDialect } from '../dialects/render-dialect.ts';
import { shownNames } from '../dialects/shown-names.ts';
import { paramHeadersOf, withoutParamHeaders } from '../param-headers.ts';

/** The tools of a server that this caller may call, in the server's own order. */
export function toolsFor(view: ServerView, caller: Caller): readonly ListedTool[] {
  if (caller.toolIds === undefined) return view.tools;
  return view.tools.filter((listed) => mayCall(caller, listed.compiled.tool.id));
}

/** What the server itself calls the tool that a dialect shows under this name; its own name is understood as well. */
export function ownName(view: ServerView, name: string, dialect: Dialect): string {
  return dialect.rules ? (shownNames(view, dialect).byShown.get(name)?.name ?? name) : name;
}

/** Tools as `tools/list` shows them to a caller, in a dialect. */
export function shownTools(view: ServerView, caller: Caller, dialect: Dialect): McpTool[] {
  const tools = toolsFor(view, caller);
  if (!dialect.rules) return tools.map(toolDefinition);
  const { renamed } = shownNames(view, dialect);
  return tools.map((listed) => {
    const { tool } = renderDialect(toolDefinition(listed), dialect);
    const shown = renamed.get(listed.name);
    return shown === undefined ? tool : { ...tool, name: shown, title: tool.title ?? listed.name };
  });
}

/** What a dialect makes of every tool of a server, for the operator who wonders what a client sees. */
export function describeDialect(view: ServerView, dialect: Dialect) {
  const { renamed } = shownNames(view, dialect);
  return view.tools.map((listed) => {
    const { tool, changes } = renderDialect(toolDefinition(listed), dialect);
    const shownName = renamed.get(listed.name) ?? listed.name;
    const all =
      shownName === listed.name
        ? changes
        : [{ path: '/name', change: `shortened to ${shownName}` }, ...changes];
    return { name: listed.name, shownName, changes: [...all], inputSchema: tool.inputSchema };
  });
}

/** A tool as `tools/list` shows it. */
function toolDefinition(listed: ListedTool): McpTool {
  const { tool, inputSchema, outputSchema } = listed.compiled;
  return {
    name: listed.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: listed.description,
    inputSchema: honestSchema(inputSchema) as McpTool['inputSchema'],
    ...(outputSchema && { outputSchema: outputSchema }),
    annotations: { ...tool.annotations },
  };
}

// A declaration of mirrored headers that breaks the rules is not shown: clients must drop such a tool altogether.
function honestSchema(schema: JsonSchema): JsonSchema {
  return paramHeadersOf(schema) === null ? withoutParamHeaders(schema) : schema;
}
