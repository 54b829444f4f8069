import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Caller, mayCall } from '../../domain/call.ts';
import { kindOf, type ToolKind } from '../../domain/tool-kind.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import { SearchIndex } from '../../search/search-index.ts';
import { type Signature, signatureOf } from '../../search/signature.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import { documentOf } from '../../search/tool-document.ts';
import type { MeaningSearch } from './embeddings/meaning-search.ts';

/** What somebody looks for among the tools of a server. */
export interface ToolQuery {
  readonly query: string;
  /** Only tools of this API, by slug or name. */
  readonly api?: string | undefined;
  readonly kind?: ToolKind | undefined;
  readonly limit: number;
}

export interface FoundTool {
  readonly listed: ListedTool;
  readonly signature: Signature;
  /** Names of the tools that yield the ids it needs. */
  readonly needs: readonly string[];
}

export interface FoundTools {
  /** Best first. */
  readonly tools: readonly FoundTool[];
  /** How many have anything of what was asked for. */
  readonly total: number;
}

/** Finds tools by words, among exactly those that the caller may call. */
export interface ToolSearch {
  find(view: ServerView, caller: Caller, query: ToolQuery): Promise<FoundTools>;
  /** Reads the tools of a server that is going to be searched. */
  prepare(view: ServerView): Promise<void>;
}

interface IndexedTool {
  readonly tool: ListedTool['compiled']['tool'];
  readonly api: ListedTool['compiled']['api'];
  readonly name: string;
  readonly description: string;
  readonly signature: Signature;
}

// How long tools are read before others have their turn.
const turnMs = 5;

/**
 * `isServed` tells whether a tool is still there: what is not is forgotten. `meaning` is asked besides the words, where an
 * operator named an endpoint for it.
 */
export function createToolSearch(
  isServed: (toolId: string) => boolean = () => true,
  meaning?: MeaningSearch,
): ToolSearch {
  const index = new SearchIndex();
  const indexed = new Map<string, IndexedTool>();
  const ready = new WeakMap<ServerView, Promise<ReadonlyMap<string, ListedTool>>>();
  let last: Promise<unknown> = Promise.resolve();

  async function read(view: ServerView): Promise<ReadonlyMap<string, ListedTool>> {
    const byKey = new Map<string, ListedTool>();
    let began = performance.now();
    for (const listed of view.tools) {
      const { tool, api } = listed.compiled;
      const description = view.server.overrides[tool.id]?.description ?? tool.description;
      // A server may call a tool and describe it as it likes; what it says as all do is read once for all.
      const isOwn = listed.name !== tool.name || description !== tool.description;
      const key = isOwn ? `${tool.id} ${view.server.id}` : tool.id;
      byKey.set(key, listed);
      const known = indexed.get(key);
      if (
        known?.tool === tool &&
        known.name === listed.name &&
        known.description === description &&
        known.api.slug === api.slug &&
        known.api.name === api.name
      )
        continue;
      if (performance.now() - began > turnMs) {
        await nextTurn();
        began = performance.now();
      }
      const document = documentOf(key, { ...tool, name: listed.name, description }, api);
      index.add(document);
      meaning?.want(key, meantBy(document));
      const signature = signatureOf(tool, listed.name, description);
      indexed.set(key, { tool, api, name: listed.name, description, signature });
    }
    for (const [key, { tool }] of indexed) {
      if (isServed(tool.id)) continue;
      index.remove(key);
      meaning?.forget(key);
      indexed.delete(key);
    }
    return byKey;
  }

  function readOnce(view: ServerView): Promise<ReadonlyMap<string, ListedTool>> {
    let reading = ready.get(view);
    if (reading === undefined) {
      // One after the other, so that the newest of two states of a tool is the one that stays.
      reading = last.then(() => read(view));
      last = reading;
      ready.set(view, reading);
    }
    return reading;
  }

  return {
    async prepare(view) {
      await readOnce(view);
    },

    async find(view, caller, { query, api, kind, limit }) {
      const byKey = await readOnce(view);
      const wantedApi = api?.toLowerCase();
      const allows = (key: string): boolean => {
        const listed = byKey.get(key);
        if (listed === undefined || !mayCall(caller, listed.compiled.tool.id)) return false;
        const { api: own, tool } = listed.compiled;
        if (wantedApi !== undefined && own.slug !== wantedApi && own.name.toLowerCase() !== wantedApi)
          return false;
        return kind === undefined || kindOf(tool) === kind;
      };
      const alsoRanked = meaning ? await meaning.rank(query, [...byKey.keys()].filter(allows)) : [];
      const { hits, total } = index.search({ query, limit, allows, alsoRanked });
      const tools = hits.map(({ key, needs }) => {
        const listed = byKey.get(key)!;
        const known = indexed.get(key);
        // While its API is away, a tool says so first.
        const isAsKnown = known?.tool === listed.compiled.tool && known.description === listed.description;
        return {
          listed,
          signature: isAsKnown
            ? known.signature
            : signatureOf(listed.compiled.tool, listed.name, listed.description),
          needs: needs.map((needed) => byKey.get(needed)!.name),
        };
      });
      return { tools, total };
    },
  };
}

/** What of a tool is compared by meaning: what it is called and does, without its schemas. */
function meantBy({ groupWords, name, method, path, description }: SearchDocument): string {
  return `${name}: ${description}\n${method ?? ''} ${path}\n${groupWords.join(', ')}`;
}
