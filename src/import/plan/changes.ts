import type { RegistryChange } from '../../storage/ports.ts';
import type { ImportPlan } from './import-plan.ts';

/** The registry changes that carry a plan out, except for mentions of forgotten tools elsewhere. */
export function changesFor(plan: Omit<ImportPlan, 'origins'>): RegistryChange[] {
  const changes: RegistryChange[] = [];
  if (plan.writesApi) changes.push({ op: 'put', kind: 'api', entity: plan.api });
  for (const { tool } of plan.added) changes.push({ op: 'put', kind: 'tool', entity: tool });
  for (const { tool } of plan.changed) changes.push({ op: 'put', kind: 'tool', entity: tool });
  for (const { tool } of plan.removed) changes.push({ op: 'put', kind: 'tool', entity: tool });
  for (const { id } of plan.forgotten) changes.push({ op: 'delete', kind: 'tool', id });
  return changes;
}
