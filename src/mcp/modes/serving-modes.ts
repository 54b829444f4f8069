import { HandrailError } from '../../domain/errors.ts';
import { type ListMode, listModes, type Server } from '../../domain/server.ts';
import type { ListCosts } from '../../listing/list-costs.ts';
import { listEntryOf } from '../../listing/list-entry.ts';
import type { ServerView, ListedTool } from '../../registry/snapshot.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** Decides how a server shows its tools to one connection. */
export interface ServingModes {
  /** The mode, or a promise of it while what the server's list costs is being counted. Never rejects. */
  of(view: ServerView, asked: ListMode | undefined): ListMode | Promise<ListMode>;
  /** The mode, if it can be told at once. */
  known(view: ServerView, asked: ListMode | undefined): ListMode | undefined;
}

/** `budgetTokens` is what a whole list may cost before a server whose mode is `auto` is searched instead. */
export function createServingModes(costs: ListCosts, budgetTokens: number): ServingModes {
  const decided = new WeakCache<ServerView, ListMode | Promise<ListMode>>();

  function known(view: ServerView, asked: ListMode | undefined): ListMode | undefined {
    if (asked !== undefined) return asked;
    const { mode = 'auto' } = view.server;
    if (mode !== 'auto') return mode;
    const before = decided.get(view);
    if (before !== undefined && !(before instanceof Promise)) return before;
    const told = tell(view);
    if (told !== undefined) decided.set(view, told);
    return told;
  }

  /** What is told by costs that are known, or by the length of a short list: no token is shorter than a byte. */
  function tell(view: ServerView): ListMode | undefined {
    const withOutputSchemas = view.server.listOutputSchemas === true;
    let tokens = 0;
    let isSure = true;
    for (const listed of asTold(view)) {
      const cost = costs.known(listed, withOutputSchemas);
      if (cost === undefined) isSure = false;
      else tokens += cost;
      if (tokens > budgetTokens) return 'search';
    }
    if (isSure) return 'direct';
    let bytes = 0;
    for (const listed of asTold(view)) {
      bytes += Buffer.byteLength(JSON.stringify(listEntryOf(listed, withOutputSchemas)));
      if (bytes > budgetTokens) return undefined;
    }
    return 'direct';
  }

  async function decide(view: ServerView): Promise<ListMode> {
    const isOver = (tokens: number) => tokens > budgetTokens;
    const tokens = await costs.count([...asTold(view)], view.server.listOutputSchemas === true, isOver);
    const mode = isOver(tokens.reduce((all, one) => all + one, 0)) ? 'search' : 'direct';
    decided.set(view, mode);
    return mode;
  }

  return {
    known,
    of(view, asked) {
      const told = known(view, asked);
      if (told !== undefined) return told;
      const before = decided.get(view);
      if (before !== undefined) return before;
      const deciding = decide(view);
      decided.set(view, deciding);
      return deciding;
    },
  };
}

/** The mode that a client asks for by `?mode=`; refuses one that there is not, or that the operator does not allow. */
export function readAskedMode(server: Server, asked: string | undefined): ListMode | undefined {
  if (asked === undefined || asked === 'auto') return undefined;
  const mode = listModes.find((one) => one === asked);
  if (mode === undefined)
    throw new HandrailError(
      'invalid_input',
      `There is no mode ${JSON.stringify(asked.slice(0, 40))}: use ${listModes.join(', ')} or auto.`,
    );
  if (mayBeAsked(server, mode)) return mode;
  throw new HandrailError(
    'forbidden',
    `This server may not be used in the mode "${mode}": leave ?mode= out, or ask its operator.`,
  );
}

/** Whether the operator lets clients ask for a mode. */
export function mayBeAsked({ mode, clientModes }: Server, asked: ListMode): boolean {
  return asked === mode || clientModes === undefined || clientModes.includes(asked);
}

/** The mode that a request's address asks for, as it is written there. */
export function modeParameter(req: { readonly url?: string | undefined }): string | undefined {
  const query = req.url?.indexOf('?') ?? -1;
  return query === -1 ? undefined : (new URLSearchParams(req.url!.slice(query)).get('mode') ?? undefined);
}

/** Tools as their operator describes them: that an API is away for a while must not change how a server is used. */
export function* asTold({ server, tools }: ServerView): Iterable<ListedTool> {
  for (const { name, compiled } of tools) {
    const { tool } = compiled;
    yield { name, compiled, description: server.overrides[tool.id]?.description ?? tool.description };
  }
}
