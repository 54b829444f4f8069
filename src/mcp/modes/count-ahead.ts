import { setImmediate as nextTick } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inputSchemaOf, type Tool } from '../../domain/tool.ts';
import { countKey, type KeptCounts, type ListCosts, textKey } from '../../listing/list-costs.ts';
import { createPace } from '../../lib/timing/pace.ts';
import type { Listable } from '../../listing/list-entry.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { MetaStore } from '../../storage/ports.ts';
import { searchCostTexts } from '../built-in/definitions.ts';
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
  const stopping = new AbortController();
  const { signal } = stopping;
  let written: string | undefined;
  let stopListening: (() => void) | undefined;

  async function count(snapshot: Snapshot): Promise<void> {
    const kept: string[] = [version];
    const pace = createPace();
    for (const [withOutputSchema, tools] of toCount(snapshot)) {
      if (signal.aborted) return;
      await costs.count(tools, withOutputSchema, () => signal.aborted);
      for (const listed of tools) {
        const tokens = costs.known(listed, withOutputSchema);
        if (tokens !== undefined) kept.push(`${countKey(listed, withOutputSchema)}=${tokens}`);
        await pace();
      }
      // A server's view is built in one piece; with a thousand servers, requests must get their turn in between.
      await nextTick();
    }
    for (const slug of [...snapshot.servers.values()].map((server) => server.slug)) {
      const view = snapshot.view(slug);
      if (view === undefined || signal.aborted) continue;
      const texts = searchCostTexts(view);
      await costs.countTexts(texts);
      for (const one of texts) {
        const tokens = costs.knownText(one);
        if (tokens !== undefined) kept.push(`${textKey(one)}=${tokens}`);
      }
      await nextTick();
    }
    const text = [...new Set(kept)].join('\n');
    if (signal.aborted || text === (written ??= (await meta.get(fact)) ?? '')) return;
    await meta.set(fact, text);
    written = text;
  }

  async function countUntilSeen(): Promise<void> {
    isCounting = true;
    try {
      while (!signal.aborted && seen !== registry.snapshot) {
        seen = registry.snapshot;
        await count(seen);
      }
    } catch (err) {
      if (!signal.aborted) log.error({ err }, 'the token costs of tools could not be counted');
    } finally {
      isCounting = false;
    }
  }

  function countIn(delayMs: number): void {
    if (isCounting || signal.aborted) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      counting = countUntilSeen();
    }, delayMs).unref();
  }

  return {
    start() {
      stopListening ??= registry.onChange(() => countIn(afterChangeMs));
      countIn(afterStartMs);
    },
    async settle() {
      clearTimeout(waiting);
      if (!isCounting) counting = countUntilSeen();
      await counting;
    },
    async stop() {
      stopping.abort();
      clearTimeout(waiting);
      stopListening?.();
      await counting;
    },
  };
}

/** Every tool under its own name, and as shown by each server that renames or redescribes it. */
function* toCount(snapshot: Snapshot): Iterable<readonly [withOutputSchema: boolean, readonly Listable[]]> {
  yield [false, [...snapshot.tools.values()].map((tool) => listableOf(asShown(snapshot, tool)))];
  for (const { slug, listOutputSchemas = false } of snapshot.servers.values()) {
    const view = snapshot.view(slug);
    if (view === undefined) continue;
    const described = [...operatorListing(view)];
    const isOther = ({ name, description, compiled: { tool } }: Listable) =>
      name !== tool.name || description !== tool.description;
    yield [listOutputSchemas, listOutputSchemas ? described : described.filter(isOther)];
  }
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
