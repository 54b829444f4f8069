import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Server } from '../../domain/server.ts';
import { listEntryOf } from '../../listing/list-entry.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { withOwnArguments } from '../built-in/own-arguments.ts';
import { renderDialect } from '../dialects/render-dialect.ts';
import { shownNames } from '../dialects/shown-names.ts';
import { paramHeadersOf, withoutParamHeaders } from '../param-headers.ts';
import { WeakCache } from '../../lib/weak-cache.ts';
import { invalidParams, RpcFault } from '../core/rpc-fault.ts';

/** The server's own name for the tool that a dialect shows under this name; accepts own names as well. */
export function ownName(view: ServerView, name: string, dialect: Dialect): string {
  return dialect.rules ? (shownNames(view, dialect).byShown.get(name)?.name ?? name) : name;
}

/** Some tools of a server as `tools/list` shows them in a dialect. */
export function shownTools(view: ServerView, tools: readonly ListedTool[], dialect: Dialect): McpTool[] {
  const define = (listed: ListedTool) => toolDefinition(listed, view.server);
  if (!dialect.rules) return tools.map(define);
  const { renamed } = shownNames(view, dialect);
  return tools.map((listed) => {
    const { tool } = renderDialect(define(listed), dialect);
    const shown = renamed.get(listed.name);
    return shown === undefined ? tool : { ...tool, name: shown, title: tool.title ?? listed.name };
  });
}

/** What a dialect does to every tool of a server, for an operator who wants to know what a client sees. */
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
  // Clients must find the parameters that are mirrored in headers. An invalid declaration is not shown, because
  // clients must drop such a tool altogether.
  const shown =
    headers === null
      ? withoutParamHeaders(entry.inputSchema)
      : headers.length > 0
        ? inputSchema
        : entry.inputSchema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input schema of a tool is one of objects
  return { ...entry, inputSchema: withOwnArguments(server, listed.compiled, shown) } as McpTool;
}

const mark = 'Currently unavailable: the API behind this tool is not responding. ';

const marked = new WeakCache<
  ServerView,
  { readonly unhealthy: ReadonlySet<string>; readonly view: ServerView }
>();

/**
 * The server with the tools of unhealthy APIs marked in their descriptions, unless the operator wants them shown
 * unchanged. They stay callable: the answer says what is wrong, and the API may have recovered.
 */
export function markUnhealthy(
  view: ServerView | undefined,
  unhealthy: ReadonlySet<string>,
): ServerView | undefined {
  if (view === undefined || unhealthy.size === 0) return view;
  const known = marked.get(view);
  if (known?.unhealthy === unhealthy) return known.view;
  const made = withMarks(view, unhealthy);
  marked.set(view, { unhealthy, view: made });
  return made;
}

function withMarks(view: ServerView, unhealthy: ReadonlySet<string>): ServerView {
  let changed = false;
  const tools = view.tools.map((listed): ListedTool => {
    const { name, description, compiled } = listed;
    if (!unhealthy.has(compiled.api.id) || compiled.api.listUnhealthy === true) return listed;
    changed = true;
    return { name, description: mark + description, compiled };
  });
  return changed
    ? { server: view.server, tools, byName: new Map(tools.map((listed) => [listed.name, listed])) }
    : view;
}

const defaultPageSize = 100;

/**
 * One page of a list. Many clients ignore `nextCursor`, so everything is on the first page unless the operator set a
 * page size; a client that sends a cursor supports paging.
 */
export function page<Item, Key extends string>(
  items: readonly Item[],
  key: Key,
  nameOf: (item: Item) => string,
  cursor: string | undefined,
  pageSize?: number,
): Record<Key, Item[]> & { nextCursor?: string } {
  const start = cursor === undefined ? 0 : positionOf(cursor, items, nameOf);
  const size = pageSize ?? (cursor === undefined ? items.length : defaultPageSize);
  const end = Math.min(items.length, start + Math.max(1, size));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript loses the name of a computed key
  return {
    [key]: items.slice(start, end),
    ...(end < items.length && { nextCursor: cursorAfter(nameOf(items[end - 1]!)) }),
  } as Record<Key, Item[]> & { nextCursor?: string };
}

// A cursor names the last item shown, because positions shift if the list changes between two pages.
function cursorAfter(name: string): string {
  return Buffer.from(`after ${name}`).toString('base64url');
}

function positionOf<Item>(cursor: string, items: readonly Item[], nameOf: (item: Item) => string): number {
  const last = Buffer.from(cursor, 'base64url').toString();
  const at = items.findIndex((item) => `after ${nameOf(item)}` === last);
  if (at !== -1) return at + 1;
  throw new RpcFault(invalidParams, 'Unknown cursor: request the list again without one');
}
