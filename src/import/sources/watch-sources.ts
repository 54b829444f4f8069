import { handrailItself } from '../../domain/audit.ts';
import type { Api } from '../../domain/api.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Importer, ImportOutcome } from '../importer.ts';
import type { ClaimWork } from '../../storage/claim-work.ts';
import type { SourceChecks } from './source-checks.ts';

/** Checks the URLs of watched APIs and imports changes. */
export interface SourceWatcher {
  /** Checks every API that is due; resolves when done. Never rejects. */
  tick(): Promise<void>;
  start(): void;
  close(): void;
}

const tickEveryMs = 30_000;
const minIntervalMs = 60_000;
// Reading a large document takes a while. If this process ends in the meantime, another takes over after this time.
const claimForMs = 600_000;

/** Creates the watcher. A failure is reported to `onTrouble`, and the URL is checked again when it is next due. */
export function createSourceWatcher(options: {
  readonly registry: Registry;
  readonly importer: Pick<Importer, 'refresh'>;
  /** When a URL was last checked, by any process. */
  readonly sourceChecks: Pick<SourceChecks, 'last'>;
  /** Whether this process does the check. */
  readonly claimWork: ClaimWork;
  readonly now: () => number;
  readonly onChange?: (api: Api, outcomes: readonly ImportOutcome[]) => void;
  readonly onTrouble?: (api: Api, error: unknown) => void;
}): SourceWatcher {
  // Also kept in memory, so that a failing store does not make us fetch the document at every tick.
  const checkedAtMs = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let busy = false;

  async function check(api: Api): Promise<void> {
    checkedAtMs.set(api.id, options.now());
    try {
      const { outcomes } = await options.importer.refresh(api, { dryRun: false }, handrailItself);
      const changed = outcomes.filter(
        ({ plan }) => plan.added.length + plan.changed.length + plan.removed.length > 0,
      );
      if (changed.length > 0) options.onChange?.(api, changed);
    } catch (error) {
      options.onTrouble?.(api, error);
    }
  }

  const watcher: SourceWatcher = {
    async tick() {
      if (busy) return;
      busy = true;
      try {
        for (const api of options.registry.snapshot.apis.values()) {
          const every = api.source?.watchEveryMs;
          if (every === undefined || api.source?.url === undefined || !api.enabled) continue;
          const isDue = (lastMs: number) => options.now() - lastMs >= Math.max(every, minIntervalMs);
          if (!isDue(checkedAtMs.get(api.id) ?? api.source.importedAtMs)) continue;
          const last = await options.sourceChecks.last(api.id).catch(() => null);
          if (last !== null && !isDue(last.atMs)) checkedAtMs.set(api.id, last.atMs);
          else if (await options.claimWork(`watch:${api.id}`, claimForMs).catch(() => false))
            await check(api);
        }
      } finally {
        busy = false;
      }
    },
    start() {
      timer ??= setInterval(() => void watcher.tick(), tickEveryMs).unref();
    },
    close() {
      clearInterval(timer);
      timer = undefined;
    },
  };
  return watcher;
}
