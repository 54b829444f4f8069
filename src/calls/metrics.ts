import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type CallTrace, outcomeKind } from '../pipeline/call.ts';
import type { LeaseCounts } from '../storage/counted-leases.ts';
import type { StoreState } from '../storage/ports.ts';
import type { RefusalCode } from '../domain/call.ts';

/** Counts what calls do, for Prometheus. Adding one costs a few lookups, so it happens with every call. */
export interface Metrics {
  observe(trace: CallTrace): void;
  /** Counts work that failed while nobody waited for it. */
  countBackgroundFailure(): void;
  /** Counts a search that an embeddings endpoint was asked about: whether it answered in time. */
  countMeaningQuery(outcome: 'answered' | 'away'): void;
  /** Counts a use of one of Handrail's own tools that calls no API. */
  countLookUp(toolName: string, serverSlug: string, outcome: 'ok' | 'failed' | 'rate_limited'): void;
  /** Counts a call that was not made, and why. */
  countRefused(serverSlug: string, code: RefusalCode): void;
  /** Adds what modules count that open after the calls. */
  watch(sources: Partial<LateSources>): void;
  /** Everything in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  text(): string;
  close(): void;
}

/** What is asked for only when someone looks. */
export interface MetricsSources {
  readonly version: string;
  readonly startedAtMs: number;
  /** Bytes that large replies take. */
  readonly memoryUsed: () => number;
  readonly records: () => { readonly waiting: number; readonly dropped: number };
  /** Replies that were too long for a model, and what is kept of them. */
  readonly replies: () => {
    readonly cut: number;
    readonly tokensSaved: number;
    readonly kept: number;
    readonly keptBytes: number;
  };
  /** Stored records that cannot be shown. */
  readonly unreadable: () => { readonly newer: number; readonly damaged: number };
  readonly load: () => { readonly running: number; readonly waiting: number };
  readonly registry: () => { readonly apis: number; readonly tools: number; readonly servers: number };
  /** Time since the registry was last known to be the store's newest. */
  readonly registryLagMs: () => number;
  /** Limits that are shared with other processes; null where there are none. */
  readonly budgets: () => {
    readonly processes: number;
    readonly asks: number;
    readonly away: boolean;
  } | null;
  readonly store: () => StoreState;
  /** What became of sign-ins that had to be renewed. */
  readonly renewals: () => {
    readonly renewed: number;
    readonly failed: number;
    readonly givenUp: number;
    readonly unsaved: number;
  };
  /** What became of asking for work that one of several processes does. */
  readonly leases: () => LeaseCounts;
  /** Clients that listen for changes, and sessions of legacy clients. */
  readonly clients: () => { readonly listeners: number; readonly sessions: number };
  /** Whether each API answers, by slug. */
  readonly healthy: () => readonly (readonly [slug: string, healthy: boolean])[];
}

/** What modules count that open after the calls; nothing until they do. */
type LateSources = Pick<MetricsSources, 'replies' | 'clients'>;

const notOpenYet: LateSources = {
  replies: () => ({ cut: 0, tokensSaved: 0, kept: 0, keptBytes: 0 }),
  clients: () => ({ listeners: 0, sessions: 0 }),
};

// Each look wakes the process: fifty a second were most of what a gateway did while nobody called.
const lagEveryMs = 50;
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Labels = Readonly<Record<string, string>>;

/** Durations by how long they took; the last count is of those longer than every bound. */
class Distribution {
  readonly counts: number[] = [...boundsSeconds, 0].map(() => 0);
  sum = 0;

  observe(seconds: number): void {
    let i = 0;
    while (i < boundsSeconds.length && seconds > boundsSeconds[i]!) i++;
    this.counts[i]!++;
    this.sum += seconds;
  }

  *lines(name: string, labels: Labels): Generator<string> {
    let running = 0;
    for (const [i, count] of this.counts.entries()) {
      running += count;
      const le = boundsSeconds[i]?.toString() ?? '+Inf';
      yield `${name}_bucket${labelText({ ...labels, le })} ${running}`;
    }
    yield `${name}_sum${labelText(labels)} ${this.sum}`;
    yield `${name}_count${labelText(labels)} ${running}`;
  }
}

/** Everything that is counted of one API's calls. */
class ApiCounts {
  /** By server, surface and outcome, a line each. */
  readonly calls = new Map<string, number>();
  readonly durations = new Distribution();
  upstream: Distribution | null = null;
  readonly replies = new Map<number, number>();
  retries = 0;
  cacheHits = 0;
  sentBytes = 0;
  receivedBytes = 0;
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Makes the counters of one process. */
export function createMetrics(known: Omit<MetricsSources, keyof LateSources>): Metrics {
  const sources: MetricsSources = { ...known, ...notOpenYet };
  const byApi = new Map<string, ApiCounts>();
  const lag = monitorEventLoopDelay({ resolution: lagEveryMs });
  lag.enable();
  let backgroundFailures = 0;
  const meaningQueries = { answered: 0, away: 0 };
  const lookUps = new Map<string, number>();
  const refusals = new Map<string, number>();

  return {
    countBackgroundFailure() {
      backgroundFailures++;
    },

    countLookUp(tool, server, outcome) {
      increment(lookUps, labelText({ tool, server, outcome }));
    },

    countRefused(server, reason) {
      increment(refusals, labelText({ server, reason }));
    },

    watch(more) {
      Object.assign(sources, more);
    },

    countMeaningQuery(outcome) {
      meaningQueries[outcome]++;
    },

    observe({ call, outcome, reply, request, durationMs }) {
      const { slug } = call.tool.api;
      let counts = byApi.get(slug);
      if (counts === undefined) byApi.set(slug, (counts = new ApiCounts()));
      increment(counts.calls, `${call.server.slug}\n${call.surface}\n${outcomeKind(outcome)}`);
      counts.durations.observe(durationMs / 1_000);
      if (request?.plan.body) counts.sentBytes += request.plan.body.content.length;
      if (reply === null) return;
      counts.receivedBytes += reply.file?.bytes ?? reply.body.length;
      if (reply.cached) {
        counts.cacheHits++;
        return;
      }
      increment(counts.replies, reply.status);
      (counts.upstream ??= new Distribution()).observe(reply.upstreamMs / 1_000);
      counts.retries += reply.tries - 1;
    },

    text() {
      const out: string[] = [];
      const metric = (name: string, type: string, help: string, lines: Iterable<string>) => {
        out.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines);
      };
      /** One line of each API that has counted something. */
      const counter = (name: string, help: string, count: (counts: ApiCounts) => number) =>
        metric(
          name,
          'counter',
          help,
          Array.from(byApi, ([api, counts]) => [api, count(counts)] as const)
            .filter(([, value]) => value > 0)
            .map(([api, value]) => `${name}${labelText({ api })} ${value}`),
        );
      const plain = (name: string, type: string, help: string, value: number) =>
        metric(name, type, help, [`${name} ${value}`]);

      metric(
        'handrail_calls_total',
        'counter',
        'Calls, by what became of them.',
        lines(byApi, (api, counts) =>
          Array.from(counts.calls, ([key, value]) => {
            const [server, surface, outcome] = key.split('\n');
            return `handrail_calls_total${labelText({ api, server: server!, surface: surface!, outcome: outcome! })} ${value}`;
          }),
        ),
      );
      metric(
        'handrail_call_duration_seconds',
        'histogram',
        'Time from a call to its answer.',
        lines(byApi, (api, { durations }) => durations.lines('handrail_call_duration_seconds', { api })),
      );
      metric(
        'handrail_upstream_duration_seconds',
        'histogram',
        'Time that upstream APIs took, all tries together.',
        lines(
          byApi,
          (api, { upstream }) => upstream?.lines('handrail_upstream_duration_seconds', { api }) ?? [],
        ),
      );
      metric(
        'handrail_upstream_replies_total',
        'counter',
        'Replies of upstream APIs, by HTTP status.',
        lines(byApi, (api, { replies }) =>
          Array.from(
            replies,
            ([status, value]) =>
              `handrail_upstream_replies_total${labelText({ api, status: String(status) })} ${value}`,
          ),
        ),
      );
      counter('handrail_upstream_retries_total', 'Requests that were sent again.', (api) => api.retries);
      counter('handrail_cache_hits_total', 'Calls answered from the cache.', (api) => api.cacheHits);
      counter('handrail_request_bytes_total', 'Bytes of request bodies.', (api) => api.sentBytes);
      counter(
        'handrail_reply_bytes_total',
        'Bytes of replies, after decompression.',
        (api) => api.receivedBytes,
      );
      metric(
        'handrail_api_up',
        'gauge',
        'Whether an API answers as far as is known: 0 while its circuit is open or its probe fails.',
        sources.healthy().map(([api, well]) => `handrail_api_up${labelText({ api })} ${well ? 1 : 0}`),
      );

      metric(
        'handrail_look_ups_total',
        'counter',
        'Uses of tools that find and describe others or read what was kept, by tool, server and outcome.',
        Array.from(lookUps, ([labels, value]) => `handrail_look_ups_total${labels} ${value}`),
      );

      metric(
        'handrail_refused_calls_total',
        'counter',
        'Calls that were not made, because there is no such tool or the caller was not let in.',
        Array.from(refusals, ([labels, value]) => `handrail_refused_calls_total${labels} ${value}`),
      );

      const load = sources.load();
      plain(
        'handrail_upstream_requests_running',
        'gauge',
        'Requests to upstream APIs under way.',
        load.running,
      );
      plain('handrail_upstream_requests_queued', 'gauge', 'Requests that wait for their turn.', load.waiting);
      const replies = sources.replies();
      plain('handrail_replies_cut_total', 'counter', 'Replies that were too long for a model.', replies.cut);
      plain(
        'handrail_reply_tokens_saved_total',
        'counter',
        'Tokens that models did not read because of that, about.',
        replies.tokensSaved,
      );
      plain('handrail_kept_replies', 'gauge', 'Replies that are kept to be read in parts.', replies.kept);
      plain('handrail_kept_reply_bytes', 'gauge', 'What these take in the store.', replies.keptBytes);
      const records = sources.records();
      plain(
        'handrail_call_records_queued',
        'gauge',
        'Call records that wait to be written.',
        records.waiting,
      );
      plain(
        'handrail_call_records_dropped_total',
        'counter',
        'Call records that could not be kept.',
        records.dropped,
      );
      plain(
        'handrail_background_failures_total',
        'counter',
        'Work that failed while nobody waited for it; the log says why.',
        backgroundFailures,
      );
      metric(
        'handrail_call_records_unreadable',
        'gauge',
        'Stored call records that this version leaves out: a newer version wrote them, or they are damaged.',
        Object.entries(sources.unreadable()).map(
          ([why, count]) => `handrail_call_records_unreadable${labelText({ why })} ${count}`,
        ),
      );

      const registry = sources.registry();
      plain(
        'handrail_bytes_under_way',
        'gauge',
        'Memory that large replies take, and answers that wait for clients, in bytes.',
        sources.memoryUsed(),
      );
      plain(
        'handrail_registry_lag_seconds',
        'gauge',
        'Time since the registry was last known to be the newest.',
        sources.registryLagMs() / 1_000,
      );
      // Alone, a process shares with nobody and asks nobody.
      const budgets = sources.budgets() ?? { processes: 1, asks: 0, away: false };
      plain(
        'handrail_budget_processes',
        'gauge',
        'Processes that share the limits of rate and concurrency.',
        budgets.processes,
      );
      plain('handrail_budget_asks_total', 'counter', 'How often a part of them was asked for.', budgets.asks);
      plain(
        'handrail_budgets_away',
        'gauge',
        'Whether nobody can be asked, so that this process keeps to its share.',
        budgets.away ? 1 : 0,
      );
      const store = sources.store();
      plain(
        'handrail_store_up',
        'gauge',
        'Whether the store could be used when it was asked last, and writes get through.',
        store.isUp ? 1 : 0,
      );
      plain(
        'handrail_store_stalled_seconds',
        'gauge',
        'How long writes have been waiting or failing without one getting through.',
        store.stalledMs / 1_000,
      );
      plain(
        'handrail_store_unowned_transactions_total',
        'counter',
        'Transactions that nothing owned; the connection was replaced.',
        store.unownedTransactions,
      );
      plain('handrail_store_failures_total', 'counter', 'How often it could not be used.', store.failures);
      plain(
        'handrail_store_connections',
        'gauge',
        'Connections to the database that are open.',
        store.connections,
      );
      plain(
        'handrail_store_connections_used',
        'gauge',
        'Those of them that are in use.',
        store.connectionsInUse,
      );
      plain(
        'handrail_store_requests_waiting',
        'gauge',
        'Statements that wait for a connection to the database.',
        store.waiting,
      );
      const { unsaved, ...renewals } = sources.renewals();
      metric(
        'handrail_renewals_total',
        'counter',
        'Sign-ins at APIs that had to be renewed, by what became of it.',
        [
          `handrail_renewals_total{outcome="renewed"} ${renewals.renewed}`,
          `handrail_renewals_total{outcome="failed"} ${renewals.failed}`,
          `handrail_renewals_total{outcome="given_up"} ${renewals.givenUp}`,
        ],
      );
      plain(
        'handrail_renewals_unsaved',
        'gauge',
        'Renewed sign-ins that the store does not have yet.',
        unsaved,
      );
      metric(
        'handrail_lease_claims_total',
        'counter',
        'Asking for what only one of several processes does: got, taken by another, or failed.',
        Object.entries(sources.leases()).map(
          ([outcome, value]) => `handrail_lease_claims_total${labelText({ outcome })} ${value}`,
        ),
      );
      const clients = sources.clients();
      plain(
        'handrail_mcp_listeners',
        'gauge',
        'Clients that hear of changes by a stream.',
        clients.listeners,
      );
      plain(
        'handrail_mcp_sessions',
        'gauge',
        'Sessions of legacy clients that this process keeps something of.',
        clients.sessions,
      );
      plain('handrail_registered_apis', 'gauge', 'APIs in the registry.', registry.apis);
      plain('handrail_registered_tools', 'gauge', 'Tools in the registry.', registry.tools);
      plain('handrail_registered_servers', 'gauge', 'Servers in the registry.', registry.servers);

      metric(
        'handrail_embeddings_queries_total',
        'counter',
        'Searches that the embeddings endpoint was asked about, by whether it answered in time.',
        Object.entries(meaningQueries).map(
          ([outcome, value]) => `handrail_embeddings_queries_total${labelText({ outcome })} ${value}`,
        ),
      );

      metric('handrail_event_loop_lag_seconds', 'gauge', 'Delay of the event loop since the last look.', [
        `handrail_event_loop_lag_seconds{stat="p50"} ${lagSeconds(lag.percentile(50))}`,
        `handrail_event_loop_lag_seconds{stat="p99"} ${lagSeconds(lag.percentile(99))}`,
        `handrail_event_loop_lag_seconds{stat="max"} ${lagSeconds(lag.max)}`,
      ]);
      lag.reset();
      const { user, system } = process.cpuUsage();
      plain('process_cpu_seconds_total', 'counter', 'CPU time of this process.', (user + system) / 1e6);
      plain('process_resident_memory_bytes', 'gauge', 'Memory of this process.', process.memoryUsage.rss());
      plain(
        'process_start_time_seconds',
        'gauge',
        'When this process started, since the epoch.',
        sources.startedAtMs / 1_000,
      );
      metric('handrail_build_info', 'gauge', 'The version that runs.', [
        `handrail_build_info${labelText({ version: sources.version, node: process.version })} 1`,
      ]);
      return `${out.join('\n')}\n`;
    },

    close() {
      lag.disable();
    },
  };
}

function* lines(
  byApi: ReadonlyMap<string, ApiCounts>,
  linesOf: (api: string, counts: ApiCounts) => Iterable<string>,
): Generator<string> {
  for (const [api, counts] of byApi) yield* linesOf(api, counts);
}

/** Without the time between two looks, which Node counts as well; 0 before the first look. */
function lagSeconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - lagEveryMs / 1e3) : 0;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return `{${parts.join(',')}}`;
}
