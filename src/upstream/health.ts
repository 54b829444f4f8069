import { type Api, probeUrl } from '../domain/api.ts';
import type { Breaker } from './policies/breaker.ts';
import type { FetchGuarded } from './fetch-guarded.ts';

/** What is known about whether APIs answer: from calls (their circuit) and from probes, where an API has one. */
export interface Health {
  /** Whether the API answers, as far as is known; one that has not been called counts as healthy. */
  isHealthy(apiId: string): boolean;
  /** The APIs that do not answer. A new set whenever it changes. */
  readonly unhealthy: ReadonlySet<string>;
  /** Takes up the APIs' probes as they stand now. */
  follow(apis: Iterable<Api>): void;
  /** Calls back when an API falls ill or recovers; returns how to stop. */
  onChange(listener: (apiId: string, healthy: boolean) => void): () => void;
  close(): void;
}

interface Probe {
  readonly api: Api;
  readonly timer: NodeJS.Timeout;
}

// One failed probe may be chance.
const failuresToFallIll = 2;
const probeTimeoutMs = 10_000;
const shortestIntervalMs = 1_000;

/** How several processes ask an API once. */
export interface SharedProbes {
  /** Whether this process is the one that asks, until `forMs` after it asked this last. */
  areMine(apiId: string, forMs: number): Promise<boolean>;
  tell(apiId: string, failed: number): Promise<void>;
  /** What was told last: how often in a row the probe has failed. */
  told(apiId: string): Promise<number>;
}

/** Makes the health view. `breaker` must report its changes to `circuitChanged`. */
export function createHealth(options: {
  readonly fetch: FetchGuarded;
  /** Told when an API stops answering its probe, and why; never more than once until it answers again. */
  readonly onTrouble?: (api: Api, error: unknown) => void;
  /** Where one of several processes asks for all. */
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

  const isWell = (apiId: string): boolean =>
    (failures.get(apiId) ?? 0) < failuresToFallIll && (breaker?.isClosed(apiId) ?? true);

  /** Takes in what is known about an API now, and tells of a change. */
  const note = (apiId: string): void => {
    const well = isWell(apiId);
    if (well !== unhealthy.has(apiId)) return;
    const next = new Set(unhealthy);
    if (well) next.delete(apiId);
    else next.add(apiId);
    unhealthy = next;
    for (const listener of listeners) listener(apiId, well);
  };

  /** Null when the API answers its probe, else why it does not. */
  async function faultOf(api: Api): Promise<unknown> {
    try {
      const url = probeUrl(api.baseUrl, api.probe!.path);
      if (url === null) return new Error('the path of its probe cannot be read');
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

  async function ask(api: Api): Promise<void> {
    const shared = options.probes;
    // Without the store, which decides, each asks for itself.
    const isMine = shared === undefined || (await shared.areMine(api.id, 3 * everyMs(api)).catch(() => true));
    const fault = isMine ? await faultOf(api) : null;
    const before = failures.get(api.id) ?? 0;
    const failed = isMine ? (fault === null ? 0 : before + 1) : await shared.told(api.id).catch(() => before);
    // It may have been edited or deleted while we waited.
    if (probes.get(api.id)?.api !== api) return;
    if (failed === 0) failures.delete(api.id);
    else failures.set(api.id, failed);
    if (isMine && failed === failuresToFallIll) options.onTrouble?.(api, fault);
    note(api.id);
    // How often beyond that is of no interest to anybody. What could not be told counts as not seen: the next probe tells.
    if (isMine && failed !== before && failed <= failuresToFallIll)
      await shared?.tell(api.id, failed).catch(() => failures.set(api.id, before));
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
          () => void ask(api).catch((error: unknown) => options.onTrouble?.(api, error)),
          everyMs(api),
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

const everyMs = (api: Api) => Math.max(shortestIntervalMs, api.probe?.everyMs ?? 0);
