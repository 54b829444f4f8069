import type { MetaStore } from '../../storage/ports.ts';
import type { ImportPlan } from '../plan/import-plan.ts';

/** What came of checking the address that an API was imported from. */
export interface SourceCheck {
  readonly atMs: number;
  /** `found` waits for someone to apply it; `applied` is in the registry. */
  readonly result: 'unchanged' | 'found' | 'applied' | 'failed';
  readonly added?: number;
  readonly changed?: number;
  readonly removed?: number;
  /** Why it failed. */
  readonly message?: string;
}

/** Remembers the last check of each address, for every process that uses the store. */
export interface SourceChecks {
  /** The last check; null when there was none. */
  last(apiId: string): Promise<SourceCheck | null>;
  note(apiId: string, check: SourceCheck): Promise<void>;
}

// Stored under this name since the first version.
const prefix = 'source-look:';

/** Keeps checks in the store's small facts. */
export function createSourceChecks(meta: Pick<MetaStore, 'get' | 'set'>): SourceChecks {
  return {
    async last(apiId) {
      const text = await meta.get(`${prefix}${apiId}`);
      return text === null ? null : (JSON.parse(text) as SourceCheck);
    },
    note: (apiId, check) => meta.set(`${prefix}${apiId}`, JSON.stringify(check)),
  };
}

/** What a refresh came to. */
export function checkResultOf(
  plans: readonly Pick<ImportPlan, 'added' | 'changed' | 'removed' | 'apiFields'>[],
  dryRun: boolean,
): Omit<SourceCheck, 'atMs'> {
  const count = (of: 'added' | 'changed' | 'removed') =>
    plans.reduce((sum, plan) => sum + plan[of].length, 0);
  const counts = { added: count('added'), changed: count('changed'), removed: count('removed') };
  const anything =
    counts.added + counts.changed + counts.removed > 0 || plans.some((plan) => plan.apiFields.length > 0);
  return { result: anything ? (dryRun ? 'found' : 'applied') : 'unchanged', ...counts };
}
