import { mcpErrors } from '../../domain/error-messages/mcp.ts';
import { type ListMode, listModes, type Server } from '../../domain/server.ts';
import type { ListCosts } from '../../listing/list-costs.ts';
import { listEntryOf } from '../../listing/list-entry.ts';
import { type ServerView, type ListedTool, sourceOf } from '../../registry/snapshot.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** Decides how a server lists its tools on one connection. */
export interface ServingModes {
  /** The mode, or a promise of it while the server's list cost is being counted. Never rejects. */
  of(view: ServerView, requested: ListMode | undefined): ListMode | Promise<ListMode>;
  /** The mode, if it is known without waiting. */
  known(view: ServerView, requested: ListMode | undefined): ListMode | undefined;
}

/** `budgetTokens` is the maximum cost of a whole list before a server in `auto` mode is searched instead. */
export function createServingModes(costs: ListCosts, budgetTokens: number): ServingModes {
  const decided = new WeakCache<ServerView, ListMode | Promise<ListMode>>();

  function known(view: ServerView, requested: ListMode | undefined): ListMode | undefined {
    if (requested !== undefined) return requested;
    const { mode = 'auto' } = view.server;
    if (mode !== 'auto') return mode;
    const before = decided.get(view);
    if (before !== undefined && !(before instanceof Promise)) return before;
    const found = modeByKnownCosts(view);
    if (found !== undefined) decided.set(view, found);
    return found;
  }

  /** The mode by known costs, or by the length of a short list: no token is shorter than a byte. */
  function modeByKnownCosts(view: ServerView): ListMode | undefined {
    const withOutputSchemas = view.server.listOutputSchemas === true;
    let tokens = 0;
    let isSure = true;
    for (const listed of operatorListing(view)) {
      const cost = costs.known(listed, withOutputSchemas);
      if (cost === undefined) isSure = false;
      else tokens += cost;
      if (tokens > budgetTokens) return 'search';
    }
    if (isSure) return 'direct';
    let bytes = 0;
    for (const listed of operatorListing(view)) {
      bytes += Buffer.byteLength(JSON.stringify(listEntryOf(listed, withOutputSchemas)));
      if (bytes > budgetTokens) return undefined;
    }
    return 'direct';
  }

  async function decide(view: ServerView): Promise<ListMode> {
    const isOver = (tokens: number) => tokens > budgetTokens;
    const tokens = await costs.count(
      [...operatorListing(view)],
      view.server.listOutputSchemas === true,
      isOver,
    );
    const mode = isOver(tokens.reduce((all, one) => all + one, 0)) ? 'search' : 'direct';
    decided.set(view, mode);
    return mode;
  }

  return {
    known,
    of(view, requested) {
      const found = known(view, requested);
      if (found !== undefined) return found;
      const before = decided.get(view);
      if (before !== undefined) return before;
      const deciding = decide(view);
      decided.set(view, deciding);
      return deciding;
    },
  };
}

/** The mode that a client requests with `?mode=`; throws if it doesn't exist or the operator doesn't allow it. */
export function readRequestedMode(server: Server, requested: string | undefined): ListMode | undefined {
  if (requested === undefined || requested === 'auto') return undefined;
  const mode = listModes.find((one) => one === requested);
  if (mode === undefined)
    throw mcpErrors.unknownMode({ mode: requested.slice(0, 40), modes: listModes.join(', ') });
  if (allowsMode(server, mode)) return mode;
  throw mcpErrors.modeNotAllowed({ mode });
}
/** Whether the operator allows clients to request a mode. */
export function allowsMode({ mode, clientModes }: Server, requested: ListMode): boolean {
  return requested === mode || clientModes === undefined || clientModes.includes(requested);
}

/** The mode in a request's URL, as written there. */
export function modeParameter(req: { readonly url?: string | undefined }): string | undefined {
  const query = req.url?.indexOf('?') ?? -1;
  return query === -1 ? undefined : (new URLSearchParams(req.url!.slice(query)).get('mode') ?? undefined);
}

/** Tools as their operator describes them: an API that is down for a while must not change how a server is used. */
export function* operatorListing({ server, tools }: ServerView): Iterable<ListedTool> {
  for (const listed of tools) {
    const { tool } = sourceOf(listed);
    yield new OperatorsTool(listed, server.overrides[tool.id]?.description ?? tool.description);
  }
}

/** A tool with another description, compiled only when someone asks for more. */
class OperatorsTool implements ListedTool {
  readonly name: string;
  readonly description: string;
  readonly #listed: ListedTool;

  constructor(listed: ListedTool, description: string) {
    this.name = listed.name;
    this.description = description;
    this.#listed = listed;
  }

  get compiled(): ListedTool['compiled'] {
    return this.#listed.compiled;
  }

  get source(): ReturnType<typeof sourceOf> {
    return sourceOf(this.#listed);
  }
}
