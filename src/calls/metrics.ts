import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { CallTrace } from '../pipeline/types.ts';

/** Counts what calls do, for Prometheus. Adding one costs a few lookups, so it happens with every call. */
export interface Metrics {
  observe(trace: CallTrace): void;
  /** Everything in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  text(): string;
  close(): void;
}

/** What is asked for only when someone looks. */
export interface MetricsSources {
  readonly version: string;
  readonly startedAtMs: number;
  readonly records: () => { readonly waiting: number; readonly dropped: number };
  readonly load: () => { readonly running: number; readonly waiting: number };
  readonly registry: () => { readonly apis: number; readonly tools: number; readonly servers: number };
  /** Whether each API answers, by slug. */
  readonly healthy: () => readonly (readonly [slug: string, healthy: boolean])[];
}

const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Labels = Readonly<Record<string, string>>;

class Counter {
  readonly #values = new Map<string, number>();
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  add(values: readonly string[], by = 1): void {
    const key = values.join('\n');
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  *samples(): Generator<[Labels, number]> {
    for (const [key, value] of this.#values) {
      const parts = key.split('\n');
      yield [Object.fromEntries(this.#names.map((name, i) => [name, parts[i] ?? ''])), value];
    }
  }
}

interface Distribution {
  readonly counts: number[];
  sum: number;
}

class Histogram {
  readonly #byLabel = new Map<string, Distribution>();

  observe(label: string, seconds: number): void {
    let found = this.#byLabel.get(label);
    if (found === undefined) {
      this.#byLabel.set(label, (found = { counts: [...boundsSeconds, 0].map(() => 0), sum: 0 }));
    }
    let i = 0;
    while (i < boundsSeconds.length && seconds > boundsSeconds[i]!) i++;
    found.counts[i]!++;
    found.sum += seconds;
  }

  *lines(name: string, label: string): Generator<string> {
    for (const [value, { counts, sum }] of this.#byLabel) {
      let running = 0;
      for (const [i, count] of counts.entries()) {
        running += count;
        yield `${name}_bucket${labelText({ [label]: value, le: boundsSeconds[i]?.toString() ?? '+Inf' })} ${running}`;
      }
      yield `${name}_sum${labelText({ [label]: value })} ${sum}`;
      yield `${name}_count${labelText({ [label]: value })} ${running}`;
    }
  }
}

/** Makes the counters of one process. */
export function createMetrics(sources: MetricsSources): Metrics {
  const calls = new Counter(['api', 'server', 'surface', 'outcome']);
  const replies = new Counter(['api', 'status']);
  const retries = new Counter(['api']);
  const cacheHits = new Counter(['api']);
  const sentBytes = new Counter(['api']);
  const receivedBytes = new Counter(['api']);
  const durations = new Histogram();
  const upstream = new Histogram();
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();

  return {
    observe({ call, outcome, reply, request, durationMs }) {
      const api = call.tool.api.slug;
      calls.add([api, call.server.slug, call.surface, outcome.ok ? 'ok' : outcome.error.code]);
      durations.observe(api, durationMs / 1_000);
      if (request?.plan.body) sentBytes.add([api], request.plan.body.content.length);
      if (reply === null) return;
      receivedBytes.add([api], reply.body.length);
      if (reply.cached) {
        cacheHits.add([api]);
        return;
      }
      replies.add([api, String(reply.status)]);
      upstream.observe(api, reply.upstreamMs / 1_000);
      if (reply.tries > 1) retries.add([api], reply.tries - 1);
    },

    text() {
      const out: string[] = [];
      const metric = (name: string, type: string, help: string, lines: Iterable<string>) => {
        out.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines);
      };
      const counter = (name: string, help: string, from: Counter) =>
        metric(
          name,
          'counter',
          help,
          Array.from(from.samples(), ([labels, value]) => `${name}${labelText(labels)} ${value}`),
        );
      const plain = (name: string, type: string, help: string, value: number) =>
        metric(name, type, help, [`${name} ${value}`]);

      counter('handrail_calls_total', 'Calls, by what became of them.', calls);
      metric(
        'handrail_call_duration_seconds',
        'histogram',
        'Time from a call to its answer.',
        durations.lines('handrail_call_duration_seconds', 'api'),
      );
      metric(
        'handrail_upstream_duration_seconds',
        'histogram',
        'Time that upstream APIs took, all tries together.',
        upstream.lines('handrail_upstream_duration_seconds', 'api'),
      );
      counter('handrail_upstream_replies_total', 'Replies of upstream APIs, by HTTP status.', replies);
      counter('handrail_upstream_retries_total', 'Requests that were sent again.', retries);
      counter('handrail_cache_hits_total', 'Calls answered from the cache.', cacheHits);
      counter('handrail_request_bytes_total', 'Bytes of request bodies.', sentBytes);
      counter('handrail_reply_bytes_total', 'Bytes of replies, after decompression.', receivedBytes);
      metric(
        'handrail_api_up',
        'gauge',
        'Whether an API answers as far as is known: 0 while its circuit is open or its probe fails.',
        sources.healthy().map(([api, well]) => `handrail_api_up${labelText({ api })} ${well ? 1 : 0}`),
      );

      const load = sources.load();
      plain(
        'handrail_upstream_requests_running',
        'gauge',
        'Requests to upstream APIs under way.',
        load.running,
      );
      plain('handrail_upstream_requests_queued', 'gauge', 'Requests that wait for their turn.', load.waiting);
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

      const registry = sources.registry();
      plain('handrail_registered_apis', 'gauge', 'APIs in the registry.', registry.apis);
      plain('handrail_registered_tools', 'gauge', 'Tools in the registry.', registry.tools);
      plain('handrail_registered_servers', 'gauge', 'Servers in the registry.', registry.servers);

      metric('handrail_event_loop_lag_seconds', 'gauge', 'Delay of the event loop since the last look.', [
        `handrail_event_loop_lag_seconds{stat="p50"} ${seconds(lag.percentile(50))}`,
        `handrail_event_loop_lag_seconds{stat="p99"} ${seconds(lag.percentile(99))}`,
        `handrail_event_loop_lag_seconds{stat="max"} ${seconds(lag.max)}`,
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

function seconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return `{${parts.join(',')}}`;
}
