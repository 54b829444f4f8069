import { type Caller, mayUseTool } from '../../domain/call.ts';
import type { Server } from '../../domain/server.ts';
import { toolWithoutHeld } from '../../domain/places/operator-places.ts';
import { textOfTool } from '../../domain/stored/packed-tool.ts';
import { kindOf, type ToolKind } from '../../domain/tool.ts';
import { LayeredMap } from '../../lib/layered-map.ts';
import { createSlicedWork, type Steps } from '../../lib/timing/sliced-work.ts';
import { type ListedTool, type ServerView, type Snapshot, sourceOf } from '../../registry/snapshot.ts';
import { searchNames } from '../../search/name-search.ts';
import type { ToolToIndex } from '../../search/build-segment-worker.ts';
import { SearchIndex } from '../../search/search-index.ts';
import type { SearchScope } from '../../search/search-scope.ts';
import type { SegmentThread } from '../../search/segment-thread.ts';
import { type Signature, signatureOf } from '../../search/signature.ts';
import { type SearchDocument, documentOf } from '../../search/tool-document.ts';
import type { MeaningSearch } from './embeddings/meaning-search.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** A search among the tools of a server. */
export interface ToolQuery {
  readonly query: string;
  /** Only tools of this API, by slug or name. */
  readonly api?: string | undefined;
  readonly kind?: ToolKind | undefined;
  /** Only tools with this tag. */
  readonly tag?: string | undefined;
  readonly limit: number;
  /** Wait for the index however long it takes, instead of searching names. */
  readonly wait?: boolean | undefined;
}

export interface FoundTool {
  readonly listed: ListedTool;
  readonly signature: Signature;
  /** The tools that return the IDs it needs. */
  readonly needs: readonly ListedTool[];
}

export interface FoundTools {
  /** Best first. */
  readonly tools: readonly FoundTool[];
  /** How many tools match at all. */
  readonly total: number;
  /** Kinds and tags of the best matches, most frequent first: what would narrow the search. */
  readonly others: { readonly kinds: readonly string[]; readonly tags: readonly string[] };
  /** Whether the index was still being built, so that only names were searched. */
  readonly isIndexing: boolean;
}

/** Finds tools by words, among exactly those that the caller may call. */
export interface ToolSearch {
  find(view: ServerView, caller: Caller, query: ToolQuery): Promise<FoundTools>;
  /** Indexes the tools of a server that will be searched. */
  prepare(view: ServerView): Promise<void>;
}

/** What an indexed document was made from. */
interface IndexedTool {
  readonly tool: ListedTool['compiled']['tool'];
  readonly api: ListedTool['compiled']['api'];
  readonly server: Server;
  readonly name: string;
  readonly description: string;
}

/** The tools of one server while they are being indexed. */
interface Build {
  readonly server: Server;
  readonly tools: readonly ListedTool[];
  /** By document key; complete when the build is. */
  readonly byKey: LayeredMap<string, ListedTool>;
  done: Promise<void>;
  /** What callers without restrictions search. */
  scope: SearchScope;
  /** The same for callers that may call only some tools. */
  readonly scopes: WeakCache<ReadonlySet<string>, SearchScope>;
  hasEnded: boolean;
}

interface MissingTool {
  readonly key: string;
  readonly wanted: IndexedTool;
}

function toIndex({ key, wanted: { tool, name, description, api } }: MissingTool): ToolToIndex {
  return { key, text: textOfTool(tool), name, description, api };
}

// Fewer are indexed here before a thread has started.
const leastForThread = 500;
// The index takes over a segment within a few milliseconds.
const toolsPerSegment = 2_048;

// One unit is a tool that is already in the index. A slice is about 5 ms of work.
const unitsPerSlice = 16_384;
const unitsPerTerm = 8;
// A view that differs from an earlier one in more than this is read from the beginning.
const maxChanged = 200;
const maxBuildsBetweenSweeps = 64;
// How long a search waits for the index before it searches names: enough for about a thousand new tools.
const maxSlicesAwaited = 50;

/**
 * Creates the search. `snapshot` says which tools exist; others are removed from the index. `meaning` is queried in
 * addition to the words, if an operator configured an endpoint. Builds and searches run in slices, which `schedule`
 * spreads over ticks of the event loop.
 */
export function createToolSearch({
  snapshot,
  meaning,
  schedule,
  thread,
}: {
  readonly snapshot?: () => Pick<Snapshot, 'compiled' | 'composedTools'>;
  readonly meaning?: MeaningSearch | undefined;
  readonly schedule?: (slice: () => void) => void;
  /** Indexes many tools at once; without it, all are indexed here. */
  readonly thread?: SegmentThread | undefined;
} = {}): ToolSearch {
  const index = new SearchIndex();
  const indexed = new Map<string, IndexedTool>();
  const builds = new WeakCache<ServerView, Build>();
  // Searches don't queue behind builds.
  const building = createSlicedWork(unitsPerSlice, schedule);
  const answering = createSlicedWork(unitsPerSlice, schedule);
  // The last build of each server, which the next one continues.
  const lastBuilds = new WeakCache<Server, Build>();
  let swept: unknown;
  let buildsSinceSweep = 0;

  function* read(
    server: Server,
    tools: readonly ListedTool[],
    byKey: LayeredMap<string, ListedTool>,
  ): Steps<void> {
    for (const listed of tools) {
      const wanted = wantedOf(server, listed);
      const key = keyOf(wanted);
      byKey.set(key, listed);
      yield isCurrent(indexed.get(key), wanted) ? 1 : 1 + unitsPerTerm * addToIndex(key, wanted);
    }
  }

  /** Many tools are indexed in a thread first, so that little is left to do here. */
  function startReading(view: ServerView, byKey: LayeredMap<string, ListedTool>): Promise<void> {
    const readHere = () => building.run(readAll(view, byKey));
    return thread === undefined || meaning !== undefined || view.tools.length < leastForThread
      ? readHere()
      : indexIn(thread, view).then(readHere);
  }

  async function indexIn(
    { build }: Pick<SegmentThread, 'build'>,
    { server, tools }: ServerView,
  ): Promise<void> {
    const missing = await building.run(findMissing(server, tools));
    for (let at = 0; missing.length - at >= leastForThread;) {
      const some = missing.slice(at, (at += toolsPerSegment));
      // What the thread cannot do is done here.
      const segment = await build(some.map(toIndex)).catch(() => null);
      if (segment === null) return;
      await building.runWhole(() => {
        const wanted = some.filter(({ key, wanted: one }) => !isCurrent(indexed.get(key), one));
        const still = new Set(wanted);
        index.adopt(
          segment,
          some.map((one) =>
            still.has(one) ? { key: one.key, name: one.wanted.name, api: one.wanted.api.slug } : null,
          ),
        );
        for (const { key, wanted: one } of wanted) indexed.set(key, one);
      });
    }
  }

  function* findMissing(server: Server, tools: readonly ListedTool[]): Steps<MissingTool[]> {
    const missing: MissingTool[] = [];
    for (const listed of tools) {
      const wanted = wantedOf(server, listed);
      const key = keyOf(wanted);
      if (!isCurrent(indexed.get(key), wanted)) missing.push({ key, wanted });
      yield 1;
    }
    return missing;
  }

  function* readAll({ server, tools }: ServerView, byKey: LayeredMap<string, ListedTool>): Steps<void> {
    yield* read(server, tools, byKey);
    yield* sweepIfChanged();
  }

  /** Reads only what a view shows differently than an earlier one. */
  function* readChanged(
    server: Server,
    { added, removed }: ViewChange,
    byKey: LayeredMap<string, ListedTool>,
  ): Steps<void> {
    for (const listed of removed) byKey.delete(keyOf(wantedOf(server, listed)));
    yield* read(server, added, byKey);
    for (const listed of removed) {
      const key = keyOf(wantedOf(server, listed));
      if (snapshot === undefined || byKey.has(key) || isServed(listed.compiled.tool.id, snapshot())) continue;
      yield 1 + unitsPerTerm * removeFromIndex(key);
    }
    if (++buildsSinceSweep >= maxBuildsBetweenSweeps) yield* sweepIfChanged();
  }

  function removeFromIndex(key: string): number {
    meaning?.forget(key);
    indexed.delete(key);
    return index.remove(key);
  }

  function* sweepIfChanged(): Steps<void> {
    if (snapshot === undefined || swept === snapshot()) return;
    buildsSinceSweep = 0;
    yield* sweep(snapshot);
    yield* gatherScattered();
  }

  /** Indexes here what is left of a segment that lost most of its tools, which frees the rest. */
  function* gatherScattered(): Steps<void> {
    for (const key of index.scattered()) {
      const wanted = indexed.get(key);
      if (wanted !== undefined) yield 1 + unitsPerTerm * addToIndex(key, wanted);
    }
  }

  function addToIndex(key: string, wanted: IndexedTool): number {
    const { tool, api, name, description } = wanted;
    const document = documentOf(key, { ...toolWithoutHeld(api, tool), name, description }, api);
    const work = index.add(document);
    meaning?.want(key, meaningText(document));
    indexed.set(key, wanted);
    return work;
  }

  function* sweep(current: NonNullable<typeof snapshot>): Steps<void> {
    swept = current();
    for (const [key, { tool }] of indexed)
      yield isServed(tool.id, current()) ? 1 : 1 + unitsPerTerm * removeFromIndex(key);
  }

  /** Counts for a build what the last one counted, except for what changed. */
  async function countChanged(
    build: Build,
    last: Build,
    { added, removed }: ViewChange,
    isMember: (key: string) => boolean,
  ): Promise<void> {
    await build.done;
    const changed = [...removed, ...added].map((listed) => keyOf(wantedOf(build.server, listed)));
    build.scope = last.scope.changed(changed, () => build.byKey.keys(), isMember);
  }

  function startBuild(view: ServerView): Build {
    const known = builds.get(view);
    if (known !== undefined) return known;
    const { server, tools } = view;
    const last = lastBuilds.get(server);
    const change = last?.hasEnded === true ? changeBetween(last.tools, tools) : null;
    const byKey =
      last === undefined || change === null ? LayeredMap.of<string, ListedTool>() : last.byKey.fork();
    const isMember = (key: string) => byKey.has(key);
    const build: Build = {
      server,
      tools,
      byKey,
      done: change === null ? startReading(view, byKey) : building.run(readChanged(server, change, byKey)),
      scope: index.scope(() => byKey.keys(), isMember),
      scopes: new WeakCache(),
      hasEnded: false,
    };
    if (last !== undefined && change !== null) build.done = countChanged(build, last, change, isMember);
    const end = () => {
      build.hasEnded = true;
    };
    void build.done.then(end, () => {
      end();
      // The next search tries again.
      builds.delete(view);
      lastBuilds.delete(server);
    });
    builds.set(view, build);
    lastBuilds.set(server, build);
    return build;
  }

  /** The tools that a caller sees on a server: rankings depend on nothing else. */
  function scopeFor({ byKey, scope, scopes }: Build, server: Server, { toolIds }: Caller): SearchScope {
    if (toolIds === undefined) return scope;
    const visible = () =>
      [...toolIds].flatMap((id) => [id, ownKey(id, server)]).filter((key) => byKey.has(key));
    return scopes.of(toolIds, () => index.scope(visible));
  }

  return {
    prepare: (view) => startBuild(view).done,

    async find(view, caller, { query, api, kind, tag, limit, wait }) {
      const build = startBuild(view);
      if (wait !== true && !build.hasEnded)
        await Promise.race([build.done, building.afterSlices(maxSlicesAwaited)]);
      const wantedApi = api?.toLowerCase();
      const wantedTag = tag?.toLowerCase();
      const mayShow = (listed: ListedTool): boolean => {
        const { tool, api: own } = sourceOf(listed);
        if (!mayUseTool(caller, tool.id)) return false;
        if (wantedApi !== undefined && own.slug !== wantedApi && own.name.toLowerCase() !== wantedApi)
          return false;
        if (wantedTag !== undefined && !tool.tags.some((name) => name.toLowerCase() === wantedTag))
          return false;
        return kind === undefined || kindOf(tool) === kind;
      };
      if (wait !== true && !build.hasEnded) {
        const { hits, total } = await answering.run(searchNames(view.tools, query, limit, mayShow));
        return {
          tools: hits.map((listed) => found(listed, [])),
          total,
          others: othersOf([]),
          isIndexing: true,
        };
      }
      await build.done;
      const { byKey } = build;
      const allows = (key: string): boolean => mayShow(byKey.get(key)!);
      const isFiltered = wantedApi !== undefined || wantedTag !== undefined || kind !== undefined;
      const alsoRanked = meaning ? await meaning.rank(query, allowedOf(byKey, allows)) : [];
      const { hits, total, best } = await answering.runWhole(() =>
        index.search({
          query,
          limit,
          scope: scopeFor(build, view.server, caller),
          ...(isFiltered && { allows }),
          alsoRanked,
        }),
      );
      const listedOf = (key: string) => byKey.get(key)!;
      const tools = hits.map(({ key, needs }) => found(listedOf(key), needs.map(listedOf)));
      return { tools, total, others: othersOf(best.map(listedOf)), isIndexing: false };
    },
  };
}

function wantedOf(server: Server, listed: ListedTool): IndexedTool {
  const { name } = listed;
  const { tool, api } = sourceOf(listed);
  const description = server.overrides[tool.id]?.description ?? tool.description;
  return { tool, api, server, name, description };
}

// A server may rename and describe a tool differently; an unchanged tool is indexed once for all servers.
function keyOf({ tool, server, name, description }: IndexedTool): string {
  return name !== tool.name || description !== tool.description ? ownKey(tool.id, server) : tool.id;
}

const ownKey = (toolId: string, server: Server): string => `${toolId} ${server.id}`;

function isServed(toolId: string, { compiled, composedTools }: Pick<Snapshot, 'compiled' | 'composedTools'>) {
  return compiled.has(toolId) || composedTools.has(toolId);
}

/** What one view shows and an earlier one does not, and the other way round. */
interface ViewChange {
  readonly added: readonly ListedTool[];
  readonly removed: readonly ListedTool[];
}

/** How two lists of tools differ, if in few places; views share the tools that they show alike. */
export function changeBetween(
  before: readonly ListedTool[],
  after: readonly ListedTool[],
): ViewChange | null {
  const added: ListedTool[] = [];
  const removed: ListedTool[] = [];
  if (before.length === after.length) {
    for (let at = 0; at < after.length; at++) {
      if (before[at] === after[at]) continue;
      if (added.push(after[at]!) > maxChanged) return null;
      removed.push(before[at]!);
    }
    return { added, removed };
  }
  let from = 0;
  let end = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before[from] === after[from]) from++;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  if (Math.max(before.length, after.length) - from - end > maxChanged) return null;
  return { added: after.slice(from, after.length - end), removed: before.slice(from, before.length - end) };
}

/** Whether a document is up to date or newer: builds of an older and a newer state may run at the same time. */
function isCurrent(known: IndexedTool | undefined, wanted: IndexedTool): boolean {
  if (known === undefined) return false;
  if (
    known.tool.revision > wanted.tool.revision ||
    known.api.revision > wanted.api.revision ||
    (known.server.id === wanted.server.id && known.server.revision > wanted.server.revision)
  )
    return true;
  const isSameTool =
    (known.tool === wanted.tool && known.api === wanted.api) ||
    (known.tool.revision === wanted.tool.revision && known.api.revision === wanted.api.revision);
  return (
    isSameTool &&
    known.name === wanted.name &&
    known.description === wanted.description &&
    known.api.slug === wanted.api.slug &&
    known.api.name === wanted.api.name
  );
}

/** Kinds and tags of tools, most frequent first. */
function othersOf(tools: readonly ListedTool[]): FoundTools['others'] {
  const kinds = new Map<string, number>();
  const tags = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const listed of tools) {
    const { tool } = sourceOf(listed);
    count(kinds, kindOf(tool));
    for (const tag of tool.tags) count(tags, tag);
  }
  const namesOf = (counts: Map<string, number>) =>
    [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return { kinds: namesOf(kinds), tags: namesOf(tags) };
}

function found(listed: ListedTool, needs: readonly ListedTool[]): FoundTool {
  const { name, description, compiled } = listed;
  return { listed, signature: signatureOf(compiled.tool, name, description), needs };
}

function* allowedOf(byKey: ReadonlyMap<string, ListedTool>, allows: (key: string) => boolean) {
  for (const key of byKey.keys()) if (allows(key)) yield key;
}

/** The text of a tool that is compared by meaning: its name and description, without its schemas. */
function meaningText({ groupWords, name, method, path, description }: SearchDocument): string {
  return `${name}: ${description}\n${method ?? ''} ${path}\n${groupWords.join(', ')}`;
}
