import type { Logger } from 'pino';
import type { Store } from '../storage/ports.ts';
import type { Registry } from './registry.ts';

/** How far this process may be behind what others have committed. */
export interface RegistryLag {
  /** Time since the registry was last known to match the store. */
  lagMs(): number;
  /** How long the store has been responding without a failure. */
  steadyMs(): number;
}

const lookEveryMs = 1_000;

/**
 * Applies what other processes commit. The store's sequence number is compared every second, whatever the last
 * attempt returned; hints from the store (a notification, a changed file) only make it sooner, because they can
 * be lost.
 */
export async function followChanges(options: {
  readonly registry: Pick<Registry, 'sync'>;
  readonly store: Pick<Store, 'watch'>;
  readonly log: Pick<Logger, 'error' | 'info'>;
  readonly now: () => number;
}): Promise<RegistryLag & { stop(): Promise<void> }> {
  const { registry, store, log, now } = options;
  let knownAtMs = now();
  let failedAtMs = -Infinity;
  let failures = 0;
  let looking: Promise<void> | null = null;
  let isHinted = false;

  async function sync(): Promise<void> {
    const beganAtMs = now();
    try {
      await registry.sync();
    } catch (err) {
      failedAtMs = now();
      // Logged once at the start: a database that is down would fill the log.
      if (failures++ === 0)
        log.error({ err }, 'changes of other processes cannot be read; retrying every second');
      return;
    }
    knownAtMs = beganAtMs;
    if (failures > 0) log.info({ failures }, 'changes of other processes are read again');
    failures = 0;
  }

  /** One read at a time; a hint that arrives meanwhile may be about something the read missed. */
  function look(): void {
    if (looking !== null) {
      isHinted = true;
      return;
    }
    looking = sync().finally(() => {
      looking = null;
      if (!isHinted) return;
      isHinted = false;
      look();
    });
  }

  const unwatch = await store.watch(look);
  const timer = setInterval(() => {
    if (looking === null) look();
  }, lookEveryMs).unref();
  return {
    lagMs: () => now() - knownAtMs,
    steadyMs: () => now() - failedAtMs,
    async stop() {
      clearInterval(timer);
      await unwatch();
      await looking;
    },
  };
}
