import type { Logger } from 'pino';
import type { Store } from '../storage/ports.ts';
import type { Registry } from './registry.ts';

/** How far this process may be behind what others committed. */
export interface RegistryLag {
  /** Time since the registry was last known to be the store's newest. */
  lagMs(): number;
  /** How long the store has been answering without a failure. */
  steadyMs(): number;
}

const lookEveryMs = 1_000;

/**
 * Takes in what other processes commit. The store's sequence number is compared every second, whatever became of the
 * last look; hints of the store (a notice, a changed file) only make it sooner, because they can be lost on the way.
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
      // Once when it begins: a database that is away would fill the log.
      if (failures++ === 0)
        log.error({ err }, 'changes of other processes cannot be read; trying every second');
      return;
    }
    knownAtMs = beganAtMs;
    if (failures > 0) log.info({ failures }, 'changes of other processes are read again');
    failures = 0;
  }

  /** One look at a time; a hint that comes meanwhile may tell of something that it did not see. */
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
