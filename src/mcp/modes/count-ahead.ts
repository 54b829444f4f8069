import { setImmediate as nextTick } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inputSchemaOf, type Tool } from '../../domain/tool.ts';
import { countKey, type KeptCounts, type ListCosts, textKey } from '../../listing/list-costs.ts';
import { createPace } from '../../lib/timing/pace.ts';
import type { Listable } from '../../listing/list-entry.ts';
import type { Registry } from '../../registry/registry.ts';
import {
  allToolsOf,
  type ListedTool,
  type ServerView,
  type Snapshot,
  sourceOf,
} from '../../registry/snapshot.ts';
import type { MetaStore, RegistryChange } from '../../storage/ports.ts';
import { searchCostTexts } from '../built-in/definitions.ts';
import { changeBetween } from '../built-in/tool-search.ts';
import { operatorListing } from './serving-modes.ts';

/** Counts the list costs of tools when the registry changes, so that no list request has to wait for it. */
export interface CountAhead {
  /** Counts whatever isn't counted yet, and every change from now on. */
  start(): void;
  /** Counts immediately whatever is left; resolves when nothing is. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const fact = 'list_costs';

// Successive changes are counted together, and a process has better things to do right after its start.
const afterChangeMs = 1_000;
const afterStartMs = 5_000;
// Writing means reading every count.
const rewriteEveryMs = 600_000;
// A list of a few tools is counted fast enough when someone needs it, and the tokenizer takes 100 MB.
const maxFewTools = 50;

/** The counts of an earlier process on this store; none from another version, which may write lists differently. */
export function keptCounts(meta: Pick<MetaStore, 'get'>, version: string): KeptCounts {
  let read: Promise<ReadonlyMap<string, number>> | undefined;
  return () => (read ??= readKept(meta, version));
}

async function readKept(meta: Pick<MetaStore, 'get'>, version: string): Promise<ReadonlyMap<string, number>> {
  const [of, ...lines] = ((await meta.get(fact)) ?? '').split('\n');
  if (of !== version) return new Map();
  return new Map(
    lines.flatMap((line) => {
      const at = line.lastIndexOf('=');
      const tokens = Number(line.slice(at + 1));
      return at > 0 && Number.isInteger(tokens) ? [[line.slice(0, at), tokens] as const] : [];
    }),
  );
}

export function createCountAhead(options: {
  readonly registry: Pick<Registry, 'snapshot' | 'onChange'>;
  readonly costs: ListCosts;
  readonly meta: Pick<MetaStore, 'get' | 'set'>;
  readonly version: string;
  readonly log: Pick<Logger, 'error'>;
}): CountAhead {
  const { registry, costs, meta, version, log } = options;
  let counting: Promise<void> = Promise.resolve();
  let isCounting = false;
  let waiting: NodeJS.Timeout | undefined;
  let seen: Snapshot | undefined;
  // What changed since `seen`, and the views that were counted: the rest isn't looked at again.
  let changed: ChangedTools = new Set();
  let countedViews: ReadonlyMap<string, ServerView> = new Map();
  const stopping = new AbortController();
  const { signal } = stopping;
  let written: string | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  const stopListening: (() => void)[] = [];

  /** Counts the tools among `ids`, and whatever each server shows that wasn't counted. */
  async function count(snapshot: Snapshot, ids: ChangedTools): Promise<void> {
    const tools = ids === 'all' ? [...snapshot.tools.values()] : toolsAmong(snapshot, ids);
    await costs.count(
      tools.map((tool) => listableOf(asShown(snapshot, tool))),
      false,
      () => signal.aborted,
    );
    const views = new Map<string, ServerView>();
    for (const { slug } of snapshot.servers.values()) {
      if (signal.aborted) return;
      const view = snapshot.view(slug);
      // A server's view is built in one piece; with a thousand servers, requests must get their turn in between.
      await nextTick();
      if (view === undefined) continue;
      views.set(slug, view);
      const before = ids === 'all' ? undefined : countedViews.get(slug);
      if (view === before) continue;
      await costs.count(shownDifferently(view, before), showsOutputs(view), () => signal.aborted);
      await costs.countTexts(searchCostTexts(view));
    }
    countedViews = views;
  }

  /** Stores every count for the next process, which counts what is missing. */
  async function write(snapshot: Snapshot): Promise<void> {
    const kept = new Set([version]);
    const pace = createPace();
    const keep = async (tools: Iterable<Listable>, withOutputSchema: boolean) => {
      for (const listed of tools) {
        const tokens = costs.known(listed, withOutputSchema);
        if (tokens !== undefined) kept.add(`${countKey(listed, withOutputSchema)}=${tokens}`);
        await pace();
      }
    };
    await keep(listables(snapshot), false);
    for (const view of countedViews.values()) {
      if (signal.aborted) return;
      await keep(shownDifferently(view), showsOutputs(view));
      for (const one of searchCostTexts(view)) {
        const tokens = costs.knownText(one);
        if (tokens !== undefined) kept.add(`${textKey(one)}=${tokens}`);
      }
    }
    const text = [...kept].join('\n');
    if (signal.aborted || text === (written ??= (await meta.get(fact)) ?? '')) return;
    await meta.set(fact, text);
    written = text;
  }

  async function countUntilSeen(writeEveryMs: number): Promise<void> {
    isCounting = true;
    try {
      while (!signal.aborted && seen !== registry.snapshot) {
        const ids = seen === undefined ? 'all' : changed;
        changed = new Set();
        seen = registry.snapshot;
        try {
          await count(seen, ids);
        } catch (error) {
          changed = 'all';
          throw error;
        }
      }
      if (seen === undefined || signal.aborted || performance.now() - writtenAtMs < writeEveryMs) return;
      await write(seen);
      writtenAtMs = performance.now();
    } catch (err) {
      if (!signal.aborted) log.error({ err }, 'the token costs of tools could not be counted');
    } finally {
      isCounting = false;
    }
  }

  function countIn(delayMs: number): void {
    if (isCounting || signal.aborted || registry.snapshot.tools.size <= maxFewTools) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      counting = countUntilSeen(rewriteEveryMs);
    }, delayMs).unref();
  }

  stopListening.push(
    registry.onChange((after, _before, changes) => {
      changed = changed === 'all' || seen === undefined ? 'all' : withChanges(changed, after, changes);
    }),
  );

  return {
    start() {
      stopListening.push(registry.onChange(() => countIn(afterChangeMs)));
      countIn(afterStartMs);
    },
    async settle() {
      clearTimeout(waiting);
      await counting;
      counting = countUntilSeen(0);
      await counting;
    },
    async stop() {
      stopping.abort();
      clearTimeout(waiting);
      for (const stop of stopListening) stop();
      await counting;
    },
  };
}

/** IDs of tools to count again. */
type ChangedTools = ReadonlySet<string> | 'all';

function withChanges(
  known: ReadonlySet<string>,
  after: Snapshot,
  changes: readonly RegistryChange[],
): ChangedTools {
  // Another process did more than it could say.
  if (changes.length === 0) return 'all';
  const ids = new Set(known);
  for (const change of changes) {
    if (change.op !== 'put') continue;
    if (change.kind === 'tool') ids.add(change.entity.id);
    // What an API fills in itself isn't listed.
    if (change.kind === 'api') for (const { id } of allToolsOf(after, change.entity.id)) ids.add(id);
  }
  return ids;
}

function toolsAmong({ tools }: Snapshot, ids: ReadonlySet<string>): Tool[] {
  return [...ids].flatMap((id) => tools.get(id) ?? []);
}

function* listables(snapshot: Snapshot): Iterable<Listable> {
  for (const tool of snapshot.tools.values()) yield listableOf(asShown(snapshot, tool));
}

const showsOutputs = ({ server }: ServerView): boolean => server.listOutputSchemas === true;

/** The tools that a server lists differently than under their own names; with `before`, only those that changed since. */
function shownDifferently(view: ServerView, before?: ServerView): ListedTool[] {
  const isComparable = before !== undefined && showsOutputs(before) === showsOutputs(view);
  const change = isComparable ? changeBetween(before.tools, view.tools) : null;
  const described = [...operatorListing(change === null ? view : { ...view, tools: change.added })];
  if (showsOutputs(view)) return described;
  return described.filter((listed) => {
    const { tool } = sourceOf(listed);
    return listed.name !== tool.name || listed.description !== tool.description;
  });
}

/** A tool as clients see it: without what its API fills in by itself. */
export function asShown(snapshot: Snapshot, tool: Tool): Tool {
  return snapshot.compiled.get(tool.id)?.tool ?? tool;
}

/** A tool under its own name, served or not. Its schema isn't kept, because most are never listed. */
export function listableOf(tool: Tool): Listable {
  return {
    name: tool.name,
    description: tool.description,
    compiled: {
      tool,
      get inputSchema() {
        return inputSchemaOf(tool.operation);
      },
      outputSchema: null,
    },
  };
}
