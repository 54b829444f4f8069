import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { settingsId } from '../domain/settings.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { CallTrace } from '../pipeline/types.ts';
import type { RegistryLag } from '../registry/follow-changes.ts';
import type { Registry } from '../registry/registry.ts';
import { settingsOf } from '../registry/settings.ts';
import type { Store } from '../storage/ports.ts';
import { createEgressGuard } from '../upstream/connections/egress.ts';
import { createFetchGuarded } from '../upstream/fetch-guarded.ts';
import type { Upstream } from '../upstream/open-upstream.ts';
import { type CallMaker, createCallMaker } from './make-call.ts';
import { createMetrics, type Metrics, type MetricsSources } from './metrics.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { purgeOldCalls, purgeOldRollups } from './retention.ts';
import { createTraceExporter, type TraceExporter } from './trace-exporter.ts';
import { watchUnreadableRecords } from './unreadable-records.ts';

/** Where a call begins, and where its trace goes: records, metrics and, when a collector is named, OpenTelemetry. */
export interface Calls {
  readonly calls: CallMaker;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  /** Whether what calls send and bring may be kept. */
  readonly keepsContents: () => boolean;
  record(trace: CallTrace): void;
}

const purgeEveryMs = 3_600_000;
const lookEveryMs = 60_000;

/** Opens the maker of calls and their records, and purges old ones now and then. */
export function openCalls(options: {
  readonly config: Pick<Config, 'recordContents' | 'retentionDays' | 'otlpUrl'>;
  readonly store: Pick<Store, 'calls' | 'rollups'>;
  readonly registry: Registry;
  readonly lag: RegistryLag;
  readonly upstream: Pick<Upstream, 'health' | 'load'>;
  /** What happened to replies that were too long for a model. */
  readonly replyCounts: MetricsSources['replies'];
  readonly version: string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Calls {
  const { config, store, registry, lag, upstream, version, log, now, onClose } = options;
  const settings = () => settingsOf(registry.snapshot.settings);
  // Settings that cannot be read may have said to keep less of a call, or to keep calls for longer.
  const areUnread = () => registry.snapshot.setAside.has('setting', settingsId);
  const keepsContents = () => !areUnread() && (settings().recordContents ?? config.recordContents);
  const recorder = createRecorder({
    calls: store.calls,
    rollups: store.rollups,
    keepContents: keepsContents,
    onTrouble: (err, dropped) => log.error({ err, dropped }, 'call records could not be written'),
  });
  onClose(() => recorder.close());
  const purgeOld = async () => {
    if (areUnread()) return;
    await purgeOldCalls(store.calls, settings().retentionDays ?? config.retentionDays, now());
    await purgeOldRollups(store.rollups, now());
  };
  onClose(
    repeat(purgeEveryMs, purgeOld, (err) => log.error({ err }, 'old call records could not be purged')),
  );
  const unreadable = watchUnreadableRecords(store.calls, log);
  const lookFailed = (err: unknown) => log.error({ err }, 'unreadable call records could not be counted');
  const firstLook = unreadable.look().catch(lookFailed);
  onClose(() => firstLook);
  onClose(repeat(lookEveryMs, unreadable.look, lookFailed));
  const metrics = createMetrics({
    version,
    startedAtMs: now(),
    records: () => recorder,
    unreadable: () => unreadable.counts,
    replies: options.replyCounts,
    load: () => upstream.load,
    registry: () => ({
      apis: registry.snapshot.apis.size,
      tools: registry.snapshot.tools.size,
      servers: registry.snapshot.servers.size,
    }),
    registryLagMs: () => lag.lagMs(),
    healthy: () =>
      [...registry.snapshot.apis.values()].map(
        (api) => [api.slug, upstream.health.isHealthy(api.id)] as const,
      ),
  });
  onClose(() => metrics.close());
  const traces = config.otlpUrl === undefined ? null : openTraces(config.otlpUrl, options);
  return {
    calls: createCallMaker({ traced: traces !== null, now }),
    recorder,
    metrics,
    keepsContents,
    record(trace) {
      recorder.record(trace);
      metrics.observe(trace);
      traces?.record(trace);
    },
  };
}

/** The collector is the operator's own, and may well be on this machine: it has a guard that lets through nothing else. */
function openTraces(
  url: string,
  options: {
    readonly version: string;
    readonly log: Logger;
    readonly now: () => number;
    readonly onClose: OnClose;
  },
): TraceExporter {
  const { version, log, now, onClose } = options;
  const { hostname, port, protocol } = new URL(url);
  const allow = [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
  const { fetch, close } = createFetchGuarded({ guard: createEgressGuard({ allow }), now });
  onClose(close);
  const exporter = createTraceExporter({
    url,
    fetch,
    version,
    onTrouble: (err) => log.warn({ err }, 'traces could not be exported'),
  });
  onClose(() => exporter.close());
  return exporter;
}
