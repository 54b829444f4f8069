import { type Api, probeUrl } from '../domain/api.ts';
import type { Breaker } from './policies/breaker.ts';
import type { FetchGuarded } from './fetch-guarded.ts';

/** Whether APIs answer, as known from calls (their circuit) and from probes, for APIs that have one. */
export interface Health {
  /** Whether the API answers, as far as is known; an API that was never called counts as healthy. */
  isHealthy(apiId: string): boolean;
  /** The APIs that don't answer. A new set on every change. */
  readonly unhealthy: ReadonlySet<string>;
  /** Starts and stops probes to match these APIs. */
  follow(apis: Iterable<Api>): void;
  /** Calls back when an API becomes unhealthy or recovers; returns a function to unsubscribe. */
  onChange(listener: (apiId: string, healthy: boolean) => void): () => void;
  close(): void;
}

interface Probe {
  readonly api: Api;
  readonly timer: NodeJS.Timeout;
}

// A single failed probe may be a coincidence.
const unhealthyAfterFailures = 2;
const probeTimeoutMs = 10_000;
const minIntervalMs = 1_000;

/** Lets several processes share one probe per API. */
export interface SharedProbes {
  /** Whether this process does the probing; the claim lasts `forMs` after it was last asked for. */
  areMine(apiId: string, forMs: number): Promise<boolean>;
  publish(apiId: string, failed: number): Promise<void>;
  /** The last published count of consecutive failures. */
  published(apiId: string): Promise<number>;
}

/** Creates the health view. `breaker` must report its changes to `circuitChanged`. */
export function createHealth(options: {
  readonly fetch: FetchGuarded;
  /** Called when an API stops answering its probe, with the reason; at most once until it answers again. */
  readonly onTrouble?: (api: Api, error: unknown) => void;
  /** Set if one of several processes probes for all. */
  readonly probes?: SharedProbes;
}): Health & {
  circuitChanged(apiId: string): void;
  watch(breaker: Breaker): void;
} {
  const probes = new Map<string, Probe>();
  const failures = new Map<string, number>();
  const listeners = new Set<(apiId: string, healthy: boolean) => void>();
  let breaker: Breaker | null = null;

  let unhealthy: ReadonlySet<string> = new Set();

  const isAnswering = (apiId: string): boolean =>
    (failures.get(apiId) ?? 0) < unhealthyAfterFailures && (breaker?.isClosed(apiId) ?? true);

  /** Updates the state of an API, and notifies listeners if it changed. */
  const note = (apiId: string): void => {
    const healthy = isAnswering(apiId);
    if (healthy !== unhealthy.has(apiId)) return;
    const next = new Set(unhealthy);
    if (healthy) next.delete(apiId);
    else next.add(apiId);
    unhealthy = next;
    for (const listener of listeners) listener(apiId, healthy);
  };

  /** Why the API does not answer its probe; null if it does. */
  async function probeFailure(api: Api): Promise<unknown> {
    try {
      const url = probeUrl(api.baseUrl, api.probe!.path);
      if (url === null) return new Error('the path of its probe cannot be parsed');
      const reply = await options.fetch({
        url: url.href,
        headers: api.headers,
        timeoutMs: probeTimeoutMs,
        ...(api.egressAllow && { egressAllow: api.egressAllow }),
      });
      return reply.status < 500 ? null : new Error(`it answered HTTP ${reply.status}`);
    } catch (error) {
      return error;
    }
  }

  async function runProbe(api: Api): Promise<void> {
    const shared = options.probes;
    // Without the store, which decides, every process probes for itself.
    const isMine =
      shared === undefined || (await shared.areMine(api.id, 3 * intervalMs(api)).catch(() => true));
    const fault = isMine ? await probeFailure(api) : null;
    const before = failures.get(api.id) ?? 0;
    const failed = isMine
      ? fault === null
        ? 0
        : before + 1
      : await shared.published(api.id).catch(() => before);
    // It may have been edited or deleted while we waited.
    if (probes.get(api.id)?.api !== api) return;
    if (failed === 0) failures.delete(api.id);
    else failures.set(api.id, failed);
    if (isMine && failed === unhealthyAfterFailures) options.onTrouble?.(api, fault);
    note(api.id);
    // Counts beyond the threshold don't matter. If publishing fails, the old count stays and the next probe publishes.
    if (isMine && failed !== before && failed <= unhealthyAfterFailures)
      await shared?.publish(api.id, failed).catch(() => failures.set(api.id, before));
  }

  function stop(apiId: string): void {
    const probe = probes.get(apiId);
    if (probe !== undefined) clearInterval(probe.timer);
    probes.delete(apiId);
    failures.delete(apiId);
    note(apiId);
  }

  return {
    isHealthy: (apiId) => !unhealthy.has(apiId),
    get unhealthy() {
      return unhealthy;
    },
    follow(apis) {
      const seen = new Set<string>();
      for (const api of apis) {
        if (api.probe === undefined || !api.enabled || api.builtIn) continue;
        seen.add(api.id);
        if (probes.get(api.id)?.api === api) continue;
        stop(api.id);
        const timer = setInterval(
          () => void runProbe(api).catch((error: unknown) => options.onTrouble?.(api, error)),
          intervalMs(api),
        ).unref();
        probes.set(api.id, { api, timer });
      }
      for (const apiId of probes.keys()) if (!seen.has(apiId)) stop(apiId);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    circuitChanged: note,
    watch: (watched) => void (breaker = watched),
    close() {
      for (const apiId of probes.keys()) stop(apiId);
    },
  };
}

const intervalMs = (api: Api) => Math.max(minIntervalMs, api.probe?.everyMs ?? 0);
