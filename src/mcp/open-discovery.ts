import type { Logger } from 'pino';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { Metrics } from '../calls/metrics.ts';
import type { Config } from '../config/settings.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { createListCosts, type ListCosts } from '../listing/list-costs.ts';
import type { TokenCounter } from '../listing/tokens/token-counter.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServerView } from '../registry/snapshot.ts';
import { createSegmentThread } from '../search/segment-thread.ts';
import type { MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import type { Health } from '../upstream/health.ts';
import { createLookUpLimit } from '../upstream/policies/rate-limit.ts';
import type { BuiltInWatch } from './built-in/built-in-tools.ts';
import type { MeaningSearch } from './built-in/embeddings/meaning-search.ts';
import { createToolSearch, type ToolSearch } from './built-in/tool-search.ts';
import { type CountAhead, createCountAhead, keptCounts } from './modes/count-ahead.ts';
import { createServingModes, type ServingModes } from './modes/serving-modes.ts';
import { markUnhealthy } from './render/render-tools.ts';

/** How clients find tools: server views for lists, list costs, serving modes and search. */
export interface Discovery {
  /** The server published under a slug, with notes on APIs that are down. */
  readonly listedView: (slug: string) => ServerView | undefined;
  readonly costs: ListCosts;
  readonly countAhead: CountAhead;
  readonly modes: ServingModes;
  readonly search: ToolSearch;
  /** Limits and counts uses of built-in tools. */
  readonly builtInWatch: BuiltInWatch;
}

/** Opens search, list costs and serving modes. */
export async function openDiscovery(options: {
  readonly config: Pick<
    Config,
    'listBudget' | 'embeddingsUrl' | 'embeddingsModel' | 'embeddingsKey' | 'embeddingsTimeoutMs'
  >;
  readonly meta: MetaStore;
  readonly registry: Registry;
  readonly budgets: SharedBudgets | null;
  readonly health: Health;
  readonly metrics: Pick<Metrics, 'countMeaningQuery' | 'countLookUp'>;
  readonly fetch: FetchGuarded;
  readonly counter: TokenCounter;
  readonly version: string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<Discovery> {
  const { config, meta, registry, health, metrics, counter, version, log, now, onClose } = options;
  const costs = createListCosts(counter, keptCounts(meta, version));
  const countAhead = createCountAhead({ registry, costs, meta, version, log });
  onClose(() => countAhead.stop());
  const meaning = await openMeaning(options);
  if (meaning) onClose(() => meaning.stop());
  const thread = createSegmentThread();
  onClose(() => thread.close());
  return {
    listedView: (slug) => markUnhealthy(registry.snapshot.view(slug), health.unhealthy),
    costs,
    countAhead,
    modes: createServingModes(costs, config.listBudget),
    search: createToolSearch({ snapshot: () => registry.snapshot, meaning, thread }),
    builtInWatch: { admit: createLookUpLimit(now, options.budgets), count: metrics.countLookUp },
  };
}

/** Search by meaning, if the operator named an embeddings endpoint; otherwise its code isn't loaded. */
async function openMeaning({
  config,
  fetch,
  meta,
  metrics,
  log,
  now,
}: Parameters<typeof openDiscovery>[0]): Promise<MeaningSearch | undefined> {
  const { embeddingsUrl: url, embeddingsModel: model, embeddingsKey: key } = config;
  if (url === undefined) return undefined;
  const [{ createEmbed }, { createMeaningSearch }] = await Promise.all([
    import('./built-in/embeddings/embeddings-endpoint.ts'),
    import('./built-in/embeddings/meaning-search.ts'),
  ]);
  return createMeaningSearch({
    embed: createEmbed(fetch, { url, model, key }),
    model: `${url} ${model}`,
    queryTimeoutMs: config.embeddingsTimeoutMs,
    meta,
    log,
    now,
    onQuery: (outcome) => metrics.countMeaningQuery(outcome),
  });
}
