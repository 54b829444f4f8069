import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { type Caller, mayCall } from '../../domain/call.ts';
import type { Server } from '../../domain/server.ts';
import { listEntryOf } from '../../listing/list-entry.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { withOwnArguments } from '../built-in/own-arguments.ts';
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
  const define = (listed: ListedTool) => toolDefinition(listed, view.server);
  if (!dialect.rules) return tools.map(define);
  const { renamed } = shownNames(view, dialect);
  return tools.map((listed) => {
    const { tool } = renderDialect(define(listed), dialect);
    const shown = renamed.get(listed.name);
    return shown === undefined ? tool : { ...tool, name: shown, title: tool.title ?? listed.name };
  });
}

/** What a dialect makes of every tool of a server, for the operator who wonders what a client sees. */
export function describeDialect(view: ServerView, dialect: Dialect) {
  const { renamed } = shownNames(view, dialect);
  return view.tools.map((listed) => {
    const { tool, changes } = renderDialect(toolDefinition(listed, view.server), dialect);
    const shownName = renamed.get(listed.name) ?? listed.name;
    const all =
      shownName === listed.name
        ? changes
        : [{ path: '/name', change: `shortened to ${shownName}` }, ...changes];
    return { name: listed.name, shownName, changes: [...all], inputSchema: tool.inputSchema };
  });
}

/** A tool as `tools/list` shows it. */
function toolDefinition(listed: ListedTool, server: Server): McpTool {
  const { inputSchema } = listed.compiled;
  const entry = listEntryOf(listed, server.listOutputSchemas === true);
  const headers = paramHeadersOf(inputSchema);
  // What is mirrored in headers has to be found by clients. A declaration that breaks the rules is not shown: clients must
  // drop such a tool altogether.
  const shown =
    headers === null
      ? withoutParamHeaders(entry.inputSchema)
      : headers.length > 0
        ? inputSchema
        : entry.inputSchema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input schema of a tool is one of objects
  return { ...entry, inputSchema: withOwnArguments(server, listed.compiled, shown) } as McpTool;
}
