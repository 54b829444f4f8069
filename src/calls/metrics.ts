import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type CallTrace, outcomeKind } from '../pipeline/call.ts';
import type { AuditTargetCounts } from './push-audit.ts';
import type { LeaseCounts } from '../storage/counted-leases.ts';
import type { StoreState } from '../storage/ports.ts';
import type { RefusalCode } from '../domain/call.ts';

/** Counts calls for Prometheus. An observation costs a few lookups, so every call can afford it. */
export interface Metrics {
  observe(trace: CallTrace): void;
  /** Counts background work that failed. */
  countBackgroundFailure(): void;
  /** Counts a search that queried an embeddings endpoint, by whether it answered in time. */
  countMeaningQuery(outcome: 'answered' | 'away'): void;
  /** Counts a use of one of Handrail's own tools that calls no API. */
  countLookUp(toolName: string, serverSlug: string, outcome: 'ok' | 'failed' | 'rate_limited'): void;
  /** Counts what a PII rule found, and what was done about it. */
  countPii(apiSlug: string, rule: string, action: string, count: number): void;
  /** Counts a call that was not made, and why. */
  countRefused(serverSlug: string, code: RefusalCode): void;
  /** Adds the counters of modules that open after the calls module. */
  watch(sources: Partial<LateSources>): void;
  /** Everything in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  text(): string;
  close(): void;
}

/** Values read only on a scrape. */
export interface MetricsSources {
  readonly version: string;
  readonly startedAtMs: number;
  /** Bytes used by large replies. */
  readonly memoryUsed: () => number;
  readonly records: () => {
    readonly waiting: number;
    readonly oldestWaitingMs: number;
    readonly dropped: number;
  };
  /** Replies that were too long for a model, and how much of them is kept. */
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
  /** Limits shared with other processes; null if there are none. */
  readonly budgets: () => {
    readonly processes: number;
    readonly asks: number;
    readonly away: boolean;
  } | null;
  readonly store: () => StoreState;
  /** Results of renewing sign-ins at APIs. */
  readonly renewals: () => {
    readonly renewed: number;
    readonly failed: number;
    readonly givenUp: number;
    readonly unsaved: number;
  };
  /** Results of claiming work that only one of several processes does. */
  readonly leases: () => LeaseCounts;
  /** Where the audit log is sent. */
  readonly auditTargets: () => readonly AuditTargetCounts[];
  /** Clients that are listening for changes, and sessions of legacy clients. */
  readonly clients: () => { readonly listeners: number; readonly sessions: number };
  /** Whether each API answers, by slug. */
  readonly healthy: () => readonly (readonly [slug: string, healthy: boolean])[];
}

/** Counters of modules that open after the calls module; zero until they do. */
type LateSources = Pick<MetricsSources, 'replies' | 'clients'>;

const notOpenYet: LateSources = {
  replies: () => ({ cut: 0, tokensSaved: 0, kept: 0, keptBytes: 0 }),
  clients: () => ({ listeners: 0, sessions: 0 }),
};

// Each sample wakes the process: at fifty a second they were most of what an idle gateway did.
const lagEveryMs = 50;
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Labels = Readonly<Record<string, string>>;

/** A histogram of durations; the last count is of those above every bound. */
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

/** The counters of one API's calls. */
class ApiCounts {
  /** By server, surface and outcome, separated by newlines. */
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

/** Creates the counters of one process. */
export function createMetrics(known: Omit<MetricsSources, keyof LateSources>): Metrics {
  const sources: MetricsSources = { ...known, ...notOpenYet };
  const byApi = new Map<string, ApiCounts>();
  const lag = monitorEventLoopDelay({ resolution: lagEveryMs });
  lag.enable();
  let backgroundFailures = 0;
  const meaningQueries = { answered: 0, away: 0 };
  const lookUps = new Map<string, number>();
  const refusals = new Map<string, number>();
  const piiFound = new Map<string, number>();

  return {
    countBackgroundFailure() {
      backgroundFailures++;
    },

    countLookUp(tool, server, outcome) {
      increment(lookUps, labelText({ tool, server, outcome }));
    },

    countPii(api, rule, action, count) {
      const labels = labelText({ api, rule, action });
      piiFound.set(labels, (piiFound.get(labels) ?? 0) + count);
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
      const metric = (name: string, type: string, help: string, samples: Iterable<string>) => {
        out.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples);
      };
      /** One line for each API with a nonzero count. */
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
        'Calls by outcome.',
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
        'Time from receiving a call to answering it.',
        lines(byApi, (api, { durations }) => durations.lines('handrail_call_duration_seconds', { api })),
      );
      metric(
        'handrail_upstream_duration_seconds',
        'histogram',
        'Time spent in upstream APIs, all tries together.',
        lines(
          byApi,
          (api, { upstream }) => upstream?.lines('handrail_upstream_duration_seconds', { api }) ?? [],
        ),
      );
      metric(
        'handrail_upstream_replies_total',
        'counter',
        'Replies from upstream APIs by HTTP status.',
        lines(byApi, (api, { replies }) =>
          Array.from(
            replies,
            ([status, value]) =>
              `handrail_upstream_replies_total${labelText({ api, status: String(status) })} ${value}`,
          ),
        ),
      );
      counter('handrail_upstream_retries_total', 'Requests that were retried.', (api) => api.retries);
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
        'Whether an API is up as far as is known: 0 while its circuit is open or its probe fails.',
        sources.healthy().map(([api, well]) => `handrail_api_up${labelText({ api })} ${well ? 1 : 0}`),
      );

      metric(
        'handrail_look_ups_total',
        'counter',
        'Uses of built-in tools that find and describe tools or read kept replies, by tool, server and outcome.',
        Array.from(lookUps, ([labels, value]) => `handrail_look_ups_total${labels} ${value}`),
      );

      metric(
        'handrail_refused_calls_total',
        'counter',
        'Calls that were rejected because the tool does not exist or the caller was not authenticated.',
        Array.from(refusals, ([labels, value]) => `handrail_refused_calls_total${labels} ${value}`),
      );

      metric(
        'handrail_pii_matches_total',
        'counter',
        'Personal data that PII rules masked or refused, by API, rule and action.',
        Array.from(piiFound, ([labels, value]) => `handrail_pii_matches_total${labels} ${value}`),
      );

      const load = sources.load();
      plain(
        'handrail_upstream_requests_running',
        'gauge',
        'Requests to upstream APIs in progress.',
        load.running,
      );
      plain('handrail_upstream_requests_queued', 'gauge', 'Requests waiting in the queue.', load.waiting);
      const replies = sources.replies();
      plain(
        'handrail_replies_cut_total',
        'counter',
        'Replies shortened because they were too long for a model.',
        replies.cut,
      );
      plain(
        'handrail_reply_tokens_saved_total',
        'counter',
        'Estimated tokens that models did not read because of that.',
        replies.tokensSaved,
      );
      plain('handrail_kept_replies', 'gauge', 'Long replies kept to be read in parts.', replies.kept);
      plain('handrail_kept_reply_bytes', 'gauge', 'Bytes these take in the store.', replies.keptBytes);
      const records = sources.records();
      plain('handrail_call_records_queued', 'gauge', 'Call records waiting to be written.', records.waiting);
      plain(
        'handrail_call_records_oldest_seconds',
        'gauge',
        'How long the oldest record that is not written yet has been waiting.',
        records.oldestWaitingMs / 1_000,
      );
      plain(
        'handrail_call_records_dropped_total',
        'counter',
        'Call records that were dropped.',
        records.dropped,
      );
      plain(
        'handrail_background_failures_total',
        'counter',
        'Background work that failed; the log says why.',
        backgroundFailures,
      );
      metric(
        'handrail_call_records_unreadable',
        'gauge',
        'Stored call records that this version skips: a newer version wrote them, or they are damaged.',
        Object.entries(sources.unreadable()).map(
          ([why, count]) => `handrail_call_records_unreadable${labelText({ why })} ${count}`,
        ),
      );

      const registry = sources.registry();
      plain(
        'handrail_bytes_under_way',
        'gauge',
        'Memory used by large replies and by answers waiting for their clients, in bytes.',
        sources.memoryUsed(),
      );
      plain(
        'handrail_registry_lag_seconds',
        'gauge',
        'Time since the registry was last known to be the newest.',
        sources.registryLagMs() / 1_000,
      );
      // A single process shares its limits with no other.
      const budgets = sources.budgets() ?? { processes: 1, asks: 0, away: false };
      plain(
        'handrail_budget_processes',
        'gauge',
        'Processes that share the rate and concurrency limits.',
        budgets.processes,
      );
      plain('handrail_budget_asks_total', 'counter', 'Requests for a share of these limits.', budgets.asks);
      plain(
        'handrail_budgets_away',
        'gauge',
        '1 while the shared limits are unreachable and this process uses its own share.',
        budgets.away ? 1 : 0,
      );
      const store = sources.store();
      plain(
        'handrail_store_up',
        'gauge',
        'Whether the store was usable when last checked and writes succeed.',
        store.isUp ? 1 : 0,
      );
      plain(
        'handrail_store_stalled_seconds',
        'gauge',
        'Time for which writes have been waiting or failing without one success.',
        store.stalledMs / 1_000,
      );
      plain(
        'handrail_store_unowned_transactions_total',
        'counter',
        'Orphaned transactions found on a connection, which was then replaced.',
        store.unownedTransactions,
      );
      plain(
        'handrail_store_failures_total',
        'counter',
        'Times the store was found unusable.',
        store.failures,
      );
      plain('handrail_store_connections', 'gauge', 'Open connections to the database.', store.connections);
      plain(
        'handrail_store_connections_used',
        'gauge',
        'Connections to the database in use.',
        store.connectionsInUse,
      );
      plain(
        'handrail_store_requests_waiting',
        'gauge',
        'Statements waiting for a connection to the database.',
        store.waiting,
      );
      const { unsaved, ...renewals } = sources.renewals();
      metric('handrail_renewals_total', 'counter', 'Renewals of sign-ins at APIs by result.', [
        `handrail_renewals_total{outcome="renewed"} ${renewals.renewed}`,
        `handrail_renewals_total{outcome="failed"} ${renewals.failed}`,
        `handrail_renewals_total{outcome="given_up"} ${renewals.givenUp}`,
      ]);
      plain('handrail_renewals_unsaved', 'gauge', 'Renewed sign-ins not yet saved to the store.', unsaved);
      metric(
        'handrail_lease_claims_total',
        'counter',
        'Claims of work that only one of several processes does: claimed, held by another process, or failed.',
        Object.entries(sources.leases()).map(
          ([outcome, value]) => `handrail_lease_claims_total${labelText({ outcome })} ${value}`,
        ),
      );
      const targets = sources.auditTargets();
      const audited = (name: string, value: (counts: AuditTargetCounts) => number): string[] =>
        targets.map((counts) => `${name}${labelText({ target: counts.target })} ${value(counts)}`);
      metric(
        'handrail_audit_lines_waiting',
        'gauge',
        'Lines of the audit log that are still to be sent, by target.',
        audited('handrail_audit_lines_waiting', ({ waiting }) => waiting),
      );
      metric(
        'handrail_audit_lines_sent_total',
        'counter',
        'Lines of the audit log that were sent, by target.',
        audited('handrail_audit_lines_sent_total', ({ sent }) => sent),
      );
      metric(
        'handrail_audit_failures_total',
        'counter',
        'Attempts to send lines of the audit log that failed, by target.',
        audited('handrail_audit_failures_total', ({ failures }) => failures),
      );
      const clients = sources.clients();
      plain(
        'handrail_mcp_listeners',
        'gauge',
        'Clients listening for changes on a stream.',
        clients.listeners,
      );
      plain(
        'handrail_mcp_sessions',
        'gauge',
        'Sessions of legacy clients that this process keeps state for.',
        clients.sessions,
      );
      plain('handrail_registered_apis', 'gauge', 'APIs in the registry.', registry.apis);
      plain('handrail_registered_tools', 'gauge', 'Tools in the registry.', registry.tools);
      plain('handrail_registered_servers', 'gauge', 'Servers in the registry.', registry.servers);

      metric(
        'handrail_embeddings_queries_total',
        'counter',
        'Searches that queried the embeddings endpoint, by whether it answered in time.',
        Object.entries(meaningQueries).map(
          ([outcome, value]) => `handrail_embeddings_queries_total${labelText({ outcome })} ${value}`,
        ),
      );

      metric('handrail_event_loop_lag_seconds', 'gauge', 'Event loop delay since the last scrape.', [
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
        'Start time of this process, in seconds since the epoch.',
        sources.startedAtMs / 1_000,
      );
      metric('handrail_build_info', 'gauge', 'The version that is running.', [
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

/** Without the sampling interval, which Node includes; 0 before the first sample. */
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
