import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { settingsId } from '../domain/settings.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { MemoryBudget } from '../lib/memory/memory-budget.ts';
import type { Siblings } from '../lib/siblings.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { CallTrace, RunningCall } from '../pipeline/call.ts';
import type { RegistryLag } from '../registry/follow-changes.ts';
import type { Registry } from '../registry/registry.ts';
import { settingsOf } from '../registry/settings.ts';
import type { ClaimWork } from '../storage/claim-work.ts';
import type { Store, CallStore, UnreadableCalls } from '../storage/ports.ts';
import { createEgressGuard } from '../upstream/connections/egress.ts';
import { createFetchGuarded, type FetchGuarded } from '../upstream/fetch-guarded.ts';
import type { Upstream } from '../upstream/open-upstream.ts';
import { type CallMaker, createCallMaker } from './make-call.ts';
import { createMetrics, type Metrics, type MetricsSources } from './metrics.ts';
import {
  type AuditPush,
  type AuditTarget,
  createAuditPush,
  fileTarget,
  webhookTarget,
} from './push-audit.ts';
import { createRecorder, type Recorder, shareRecorder } from './recorder.ts';
import { createRefusedCalls, sumUpEveryMs } from './refused-calls.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { createRunningCalls, type RunningCallsOptions } from './running-calls.ts';
import {
  dropOldContents,
  maintainRecords,
  purgeOldAudit,
  purgeOldCalls,
  purgeOldRollups,
} from './retention.ts';
import { createTraceExporter, type TraceExporter } from './trace-exporter.ts';

/** Makes calls, and sends their traces to records, metrics and, if a collector is configured, OpenTelemetry. */
export interface Calls {
  readonly calls: CallMaker;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  /** Sends the audit log to where the operator wants it. */
  readonly auditPush: Pick<AuditPush, 'start'>;
  /** Whether the contents of requests and replies may be kept. */
  readonly keepsContents: () => boolean;
  record(trace: CallTrace): void;
  /** Called for each call when it starts; null if nothing tracks running calls. */
  readonly begun: ((trace: CallTrace) => RunningCall) | null;
  /** The metrics of all processes of this gateway, for Prometheus. */
  scrape(): Promise<string>;
}

/** What the calls module shares with the other processes of this gateway. */
export interface SharedCalls {
  readonly siblings: Siblings;
  /** Receives the running calls, so that they are recorded even if this process ends before they do. */
  readonly reportRunning: RunningCallsOptions['report'];
}

const purgeEveryMs = 3_600_000;
const lookEveryMs = 60_000;
const maintainEveryMs = 60_000;

/** Opens the call maker and the records, and purges old records periodically. */
export function openCalls(options: {
  readonly config: Pick<
    Config,
    | 'recordContents'
    | 'retentionDays'
    | 'contentRetentionDays'
    | 'auditRetentionDays'
    | 'auditWebhookUrl'
    | 'auditWebhookSecret'
    | 'auditFile'
    | 'otlpUrl'
    | 'closeMs'
  >;
  readonly store: Pick<Store, 'calls' | 'rollups' | 'state' | 'meta' | 'audit'>;
  readonly registry: Registry;
  readonly lag: RegistryLag;
  readonly upstream: Pick<Upstream, 'health' | 'load'>;
  readonly claimWork: ClaimWork;
  readonly memory: Pick<MemoryBudget, 'used'>;
  readonly budgets: MetricsSources['budgets'];
  /** Counters of other modules that the metrics include. */
  readonly counted: Pick<MetricsSources, 'renewals' | 'leases'>;
  /** Null if this is the only process. */
  readonly shared: SharedCalls | null;
  /** Every secret stored here, so that none is recorded. */
  readonly storedSecrets: () => readonly string[];
  readonly version: string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Calls {
  const { config, store, registry, lag, upstream, shared, version, log, now, onClose } = options;
  const settings = () => settingsOf(registry.snapshot.settings);
  // Unreadable settings may have asked to keep less of a call, or to keep calls for longer.
  const areUnread = () => registry.snapshot.setAside.has('setting', settingsId);
  const keepsContents = () => !areUnread() && (settings().recordContents ?? config.recordContents);
  const ownRecorder = createRecorder({
    calls: store.calls,
    rollups: store.rollups,
    keepContents: keepsContents,
    onTrouble: (err, dropped) => log.error({ err, dropped }, 'call records could not be written'),
    // A moment remains to close the rest before the process is ended.
    closeMs: config.closeMs - Math.min(500, config.closeMs / 2),
  });
  onClose(async () => {
    const lost = await ownRecorder.close();
    if (lost > 0) throw new Error(`${lost} call records could not be written before the process stopped`);
  });
  const recorder = shared === null ? ownRecorder : shareRecorder(ownRecorder, shared.siblings, now, onClose);
  const running =
    shared === null ? null : createRunningCalls({ keepsContents, now, report: shared.reportRunning });
  if (running !== null) onClose(() => running.close());
  const auditPush = createAuditPush({
    ...options,
    targets: auditTargets(options),
    audit: store.audit,
    meta: store.meta,
    onTrouble: (err, target) =>
      log.warn({ err, target }, 'the audit log could not be sent; its lines are kept and sent again'),
  });
  const purgeOld = async () => {
    if (areUnread() || !(await options.claimWork('retention', 2 * purgeEveryMs))) return;
    await purgeOldCalls(store.calls, settings().retentionDays ?? config.retentionDays, now());
    const contentDays = settings().contentRetentionDays ?? config.contentRetentionDays;
    await dropOldContents(store.calls, store.meta, contentDays, now());
    await purgeOldAudit(store.audit, {
      retentionDays: settings().auditRetentionDays ?? config.auditRetentionDays,
      keepAfterSeq: await auditPush.sentUpTo(),
      nowMs: now(),
    });
    await purgeOldRollups(store.rollups, now());
  };
  onClose(repeat(purgeEveryMs, purgeOld, (err) => log.error({ err }, 'old records could not be purged')));
  const maintained = maintainRecords(store.calls, options.claimWork);
  onClose(maintained.stop);
  onClose(
    repeat(maintainEveryMs, maintained.run, (err) =>
      log.error({ err }, 'call records could not be maintained'),
    ),
  );
  const unreadable = watchUnreadableRecords(store.calls, log);
  const lookFailed = (err: unknown) => log.error({ err }, 'unreadable call records could not be counted');
  const firstLook = unreadable.look().catch(lookFailed);
  onClose(() => firstLook);
  onClose(repeat(lookEveryMs, unreadable.look, lookFailed));
  const metrics = createMetrics({
    version,
    startedAtMs: now(),
    memoryUsed: () => options.memory.used,
    records: () => ownRecorder,
    unreadable: () => unreadable.counts,
    load: () => upstream.load,
    registry: () => ({
      apis: registry.snapshot.apis.size,
      tools: registry.snapshot.tools.size,
      servers: registry.snapshot.servers.size,
    }),
    registryLagMs: () => lag.lagMs(),
    budgets: options.budgets,
    store: () => store.state(),
    ...options.counted,
    auditTargets: () => auditPush.counts,
    healthy: () =>
      [...registry.snapshot.apis.values()].map(
        (api) => [api.slug, upstream.health.isHealthy(api.id)] as const,
      ),
  });
  onClose(() => metrics.close());
  shared?.siblings.on('metrics', () => metrics.text());
  const refused = createRefusedCalls({
    add: (record) => ownRecorder.add(record),
    count: metrics.countRefused,
    keepsContents,
    storedSecrets: options.storedSecrets,
    now,
  });
  const sumUp = async () => refused.sumUp();
  onClose(() => refused.sumUp(true));
  onClose(repeat(sumUpEveryMs, sumUp, (err) => log.error({ err }, 'rejected calls could not be summarized')));
  const traces = config.otlpUrl === undefined ? null : openTraces(config.otlpUrl, options);
  return {
    calls: createCallMaker({ traced: traces !== null, now, onRefused: (call) => refused.note(call) }),
    recorder,
    metrics,
    auditPush,
    keepsContents,
    begun: running === null ? null : running.begun,
    record(trace) {
      ownRecorder.record(trace);
      metrics.observe(trace);
      traces?.record(trace);
    },
    async scrape() {
      if (shared === null) return metrics.text();
      const others = await shared.siblings.ask('metrics');
      const [ended, runningElsewhere] = [
        others.filter(isEnded),
        others.filter((other) => typeof other === 'string'),
      ];
      return mergeMetrics(
        [metrics.text(), ...runningElsewhere],
        ended.map(({ text }) => text),
      );
    },
  };
}

/** The final metrics of a process that has exited. */
function isEnded(answer: unknown): answer is { readonly text: string } {
  return typeof answer === 'object' && answer !== null && 'text' in answer && typeof answer.text === 'string';
}

interface Outbound {
  readonly now: () => number;
  readonly onClose: OnClose;
}

/** What an operator names may well be on this machine or their network, so it gets a guard that allows nothing else. */
function fetchOnly(url: string, { now, onClose }: Outbound): FetchGuarded {
  const { hostname, port, protocol } = new URL(url);
  const allow = [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
  const { fetch, close } = createFetchGuarded({ guard: createEgressGuard({ allow }), now });
  onClose(close);
  return fetch;
}

function auditTargets(
  options: Outbound & {
    readonly config: Pick<Config, 'auditWebhookUrl' | 'auditWebhookSecret' | 'auditFile'>;
  },
): AuditTarget[] {
  const { auditWebhookUrl: url, auditWebhookSecret: secret, auditFile } = options.config;
  return [
    ...(url === undefined
      ? []
      : [webhookTarget({ url, secret, fetch: fetchOnly(url, options), now: options.now })]),
    ...(auditFile === undefined ? [] : [fileTarget(auditFile)]),
  ];
}

function openTraces(
  url: string,
  options: Outbound & { readonly version: string; readonly log: Logger },
): TraceExporter {
  const { version, log, onClose } = options;
  const fetch = fetchOnly(url, options);
  const exporter = createTraceExporter({
    url,
    fetch,
    version,
    onTrouble: (err) => log.warn({ err }, 'traces could not be exported'),
  });
  onClose(() => exporter.close());
  return exporter;
}

/** The number of stored records that can't be shown, as of the last count. */
interface UnreadableRecords {
  readonly counts: UnreadableCalls;
  /** Counts again, and logs any increase. */
  look(): Promise<void>;
}

/** The warning for each reason that records are skipped. */
const warnings: Readonly<Record<keyof UnreadableCalls, string>> = {
  newer:
    'call records written by a newer version are skipped: use that version to show, export or purge them',
  damaged: 'damaged call records are skipped: restore a backup to recover them',
};

/** Watches for unreadable records; the counts are 0 until the first look. */
export function watchUnreadableRecords(
  calls: Pick<CallStore, 'unreadable'>,
  log: Pick<Logger, 'warn'>,
): UnreadableRecords {
  let counts: UnreadableCalls = { newer: 0, damaged: 0 };
  return {
    get counts() {
      return counts;
    },
    async look() {
      const before = counts;
      counts = await calls.unreadable();
      for (const why of ['newer', 'damaged'] as const)
        if (counts[why] > before[why]) log.warn({ records: counts[why] }, warnings[why]);
    },
  };
}
