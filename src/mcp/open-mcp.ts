import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { CallMaker } from '../calls/make-call.ts';
import type { Recorder } from '../calls/recorder.ts';
import { openCode } from '../code/open-code.ts';
import type { Metrics } from '../calls/metrics.ts';
import type { Config } from '../config/settings.ts';
import { isEmbedded } from '../config/store-location.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Siblings } from '../lib/siblings.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { Effects, RunCall } from '../pipeline/types.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { MetaStore, ScriptJournalStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import type { Health } from '../upstream/health.ts';
import { createListCosts, type ListCosts } from '../listing/list-costs.ts';
import type { MeaningSearch } from './built-in/embeddings/meaning-search.ts';
import type { TokenCounter } from '../listing/tokens/token-counter.ts';
import type { Replies } from '../replies/open-replies.ts';
import type { RunCode } from './built-in/run-code.ts';
import { createScriptLookUps } from './built-in/script-look-ups.ts';
import { createToolSearch, type ToolSearch } from './built-in/tool-search.ts';
import { type CountAhead, createCountAhead, keptCounts } from './modes/count-ahead.ts';
import { createServingModes, type ServingModes } from './modes/serving-modes.ts';
import type { McpHandlerOptions } from './handler.ts';
import { openingFact, type RememberedOpening } from './stdio/greeting.ts';
import { createMcpHandlerToLoad, type McpHandlerToLoad } from './load-handler.ts';
import type { NativeFeatures } from './native.ts';
import { markUnhealthy } from './render/mark-unhealthy.ts';
import type { BuiltInWatch } from './built-in/built-in-tools.ts';
import { createLookUpLimit } from '../upstream/policies/rate-limit.ts';
import { createEndedSessions, type EndedSessions } from './sessions/ended-sessions.ts';
import { createListTimes } from './sessions/list-times.ts';

/** The MCP surface, and the servers as it shows them. */
export interface McpSurface {
  readonly mcp: McpHandlerToLoad;
  /** The server published under a slug now. */
  readonly viewOf: (slug: string) => ServerView | undefined;
  readonly costs: ListCosts;
  readonly countAhead: CountAhead;
  readonly modes: ServingModes;
  readonly search: ToolSearch;
  readonly builtInWatch: BuiltInWatch;
  readonly runCode: RunCode;
  /** Runs a script that was saved as a tool. */
  readonly runSaved: NonNullable<Effects['runScript']>;
}

const listTimesFact = 'mcp_list_times';
const readAllEndedSessionsEveryMs = 3_600_000;
const readNewEndedSessionsEveryMs = 1_000;

/** Opens the MCP surface; its code is loaded when somebody asks. */
export async function openMcp(options: {
  readonly config: Pick<
    Config,
    | 'fastLane'
    | 'listBudget'
    | 'dataDir'
    | 'databaseUrl'
    | 'embeddingsUrl'
    | 'embeddingsModel'
    | 'embeddingsKey'
    | 'embeddingsTimeoutMs'
  >;
  readonly meta: MetaStore;
  readonly registry: Registry;
  readonly budgets: SharedBudgets | null;
  /** The other processes of this gateway; null where there is only this one. */
  readonly siblings: Siblings | null;
  readonly health: Health;
  readonly metrics: Pick<Metrics, 'countMeaningQuery' | 'countLookUp'>;
  readonly fetch: FetchGuarded;
  readonly calls: CallMaker;
  readonly runCall: RunCall;
  readonly stepUp: NonNullable<McpHandlerOptions['stepUp']>;
  readonly counter: TokenCounter;
  readonly replies: Replies;
  readonly recorder: Pick<Recorder, 'add' | 'flush'>;
  readonly journalStore: ScriptJournalStore;
  readonly keepsContents: () => boolean;
  /** Features beside the tools that stand for REST operations, by server slug. */
  readonly nativeFeatures?: (slug: string) => NativeFeatures | undefined;
  readonly version: string;
  readonly publicUrl: () => string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<McpSurface> {
  const { config, meta, registry, health, log, now, onClose } = options;
  const { siblings } = options;
  const endedSessions = tellingOthers(
    createEndedSessions(meta, randomBytes(6).toString('base64url'), now),
    siblings,
  );
  await endedSessions.load();
  const onTrouble = (err: unknown) => log.error({ err }, 'ended sessions could not be read');
  onClose(repeat(readAllEndedSessionsEveryMs, endedSessions.load, onTrouble));
  if (!isEmbedded(config) || siblings !== null)
    onClose(repeat(readNewEndedSessionsEveryMs, endedSessions.sync, onTrouble));
  const sessionKey = await meta.setIfAbsent('mcp_session_key', randomBytes(32).toString('base64'));

  const viewOf = (slug: string) => markUnhealthy(registry.snapshot.view(slug), health.unhealthy);
  const { version, counter } = options;
  const costs = createListCosts(counter, keptCounts(meta, version));
  const countAhead = createCountAhead({ registry, costs, meta, version, log });
  onClose(() => countAhead.stop());
  const modes = createServingModes(costs, config.listBudget);
  const meaning = await openMeaning(options);
  if (meaning) onClose(() => meaning.stop());
  const isServed = (toolId: string) =>
    registry.snapshot.compiled.has(toolId) || registry.snapshot.composedTools.has(toolId);
  const search = createToolSearch(isServed, meaning);
  const listTimes = createListTimes({
    stored: await meta.get(listTimesFact),
    save: (text) =>
      void meta
        .set(listTimesFact, text)
        .catch((err: unknown) => log.error({ err }, 'the times of lists could not be written')),
    now,
  });
  const builtInWatch = { admit: createLookUpLimit(now, options.budgets), count: options.metrics.countLookUp };
  const { run: runCode, runSaved } = openCode({
    calls: options.calls,
    runCall: options.runCall,
    budget: options.replies.budget,
    lookUps: createScriptLookUps(search, options.replies, builtInWatch),
    currentView: viewOf,
    recorder: options.recorder,
    journalStore: options.journalStore,
    log,
    keepsContents: options.keepsContents,
    now,
    onClose,
  });
  const mcp = createMcpHandlerToLoad({
    runCode,
    listTimes,
    builtInWatch,
    calls: options.calls,
    runCall: options.runCall,
    stepUp: options.stepUp,
    modes,
    search,
    replies: options.replies,
    rememberOpening: rememberOpening(meta, registry, config.listBudget),
    currentView: viewOf,
    fastLane: config.fastLane,
    ...(options.nativeFeatures && { native: options.nativeFeatures }),
    onRegistryChange: (listener) => {
      const stops = [registry.onChange(listener), health.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    log,
    version,
    publicUrl: options.publicUrl,
    sessionKey: Buffer.from(sessionKey, 'base64'),
    endedSessions,
    ...(siblings !== null && { siblings }),
    now,
  });
  onClose(() => mcp.close());
  return { mcp, viewOf, costs, countAhead, modes, search, builtInWatch, runCode, runSaved };
}

/** Has the other processes of this gateway read of a session's end at once. */
function tellingOthers(ended: EndedSessions, siblings: Siblings | null): EndedSessions {
  if (siblings === null) return ended;
  siblings.on('session ended', () => ended.sync());
  return {
    ...ended,
    async add(id, expiresAtMs) {
      await ended.add(id, expiresAtMs);
      siblings.tell('session ended');
    },
  };
}

/** Search by meaning, where an operator named an endpoint for it; its code is not even loaded elsewhere. */
async function openMeaning({
  config,
  fetch,
  meta,
  metrics,
  log,
  now,
}: Parameters<typeof openMcp>[0]): Promise<MeaningSearch | undefined> {
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

/** Keeps how a server opens; written only when it is another than before. */
function rememberOpening(
  meta: MetaStore,
  registry: Registry,
  listBudget: number,
): NonNullable<McpHandlerOptions['rememberOpening']> {
  return async (slug, { mode, searchInstructions }) => {
    const opening: RememberedOpening = { seq: registry.snapshot.seq, listBudget, mode, searchInstructions };
    const text = JSON.stringify(opening);
    if ((await meta.get(openingFact(slug))) !== text) await meta.set(openingFact(slug), text);
  };
}
