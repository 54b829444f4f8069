import { timeMs } from '../../domain/fields/row-fields.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { choice, type Infer, integer, object, optional, text } from '../../lib/schema/schema.ts';
import type { MetaStore } from '../../storage/ports.ts';
import type { ImportPlan } from '../plan/import-plan.ts';

const count = integer({ min: 0 });

/** The result of checking the URL that an API was imported from. */
const sourceCheck = object({
  atMs: timeMs,
  /** `found` changes wait for someone to apply them; `applied` ones are in the registry. */
  result: choice('unchanged', 'found', 'applied', 'failed'),
  added: optional(count),
  changed: optional(count),
  removed: optional(count),
  /** Why it failed. */
  message: optional(text({ max: 100_000 })),
});

export type SourceCheck = Infer<typeof sourceCheck>;

/** Stores the last check of each URL, for every process that uses the store. */
export interface SourceChecks {
  /** The last check; null if there was none. */
  last(apiId: string): Promise<SourceCheck | null>;
  note(apiId: string, check: SourceCheck): Promise<void>;
}

// Stored under this name since the first version.
const prefix = 'source-look:';

/** Keeps checks in the store's metadata. */
export function createSourceChecks(meta: Pick<MetaStore, 'get' | 'set'>): SourceChecks {
  return {
    async last(apiId) {
      const fact = await meta.get(`${prefix}${apiId}`);
      return fact === null ? null : readJson(sourceCheck, fact);
    },
    note: (apiId, check) => meta.set(`${prefix}${apiId}`, JSON.stringify(check)),
  };
}

/** Summarizes a refresh. */
export function checkResultOf(
  plans: readonly Pick<ImportPlan, 'added' | 'changed' | 'removed' | 'apiFields'>[],
  dryRun: boolean,
): Omit<SourceCheck, 'atMs'> {
  const countOf = (of: 'added' | 'changed' | 'removed') =>
    plans.reduce((sum, plan) => sum + plan[of].length, 0);
  const counts = { added: countOf('added'), changed: countOf('changed'), removed: countOf('removed') };
  const anything =
    counts.added + counts.changed + counts.removed > 0 || plans.some((plan) => plan.apiFields.length > 0);
  return { result: anything ? (dryRun ? 'found' : 'applied') : 'unchanged', ...counts };
}
