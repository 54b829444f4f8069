import type { MetaStore } from '../../storage/ports.ts';
import type { ImportPlan } from '../plan/import-plan.ts';

/** What came of looking at the address that an API was imported from. */
export interface SourceLook {
  readonly atMs: number;
  /** `found` waits for someone to apply it; `applied` is in the registry. */
  readonly result: 'unchanged' | 'found' | 'applied' | 'failed';
  readonly added?: number;
  readonly changed?: number;
  readonly removed?: number;
  /** Why it failed. */
  readonly message?: string;
}

/** Remembers the last look at each address, for every process that uses the store. */
export interface SourceLooks {
  /** The last look; null when there was none. */
  last(apiId: string): Promise<SourceLook | null>;
  note(apiId: string, look: SourceLook): Promise<void>;
}

const prefix = 'source-look:';

/** Keeps looks in the store's small facts. */
export function createSourceLooks(meta: Pick<MetaStore, 'get' | 'set'>): SourceLooks {
  return {
    async last(apiId) {
      const text = await meta.get(`${prefix}${apiId}`);
      return text === null ? null : (JSON.parse(text) as SourceLook);
    },
    note: (apiId, look) => meta.set(`${prefix}${apiId}`, JSON.stringify(look)),
  };
}

/** What a refresh came to. */
export function lookOf(
  plans: readonly Pick<ImportPlan, 'added' | 'changed' | 'removed' | 'apiFields'>[],
  dryRun: boolean,
): Omit<SourceLook, 'atMs'> {
  const count = (of: 'added' | 'changed' | 'removed') =>
    plans.reduce((sum, plan) => sum + plan[of].length, 0);
  const counts = { added: count('added'), changed: count('changed'), removed: count('removed') };
  const anything =
    counts.added + counts.changed + counts.removed > 0 || plans.some((plan) => plan.apiFields.length > 0);
  return { result: anything ? (dryRun ? 'found' : 'applied') : 'unchanged', ...counts };
}
