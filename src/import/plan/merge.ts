import { byName, own } from '../../domain/field-changes.ts';
import { pointerTo } from '../../lib/json/json-pointer.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { ImportPlan } from './import-plan.ts';

/**
 * Three-way merge: upstream changes (from `base` to `theirs`) are applied to `mine`, except where someone changed the same
 * thing: a manual edit wins. Paths where both changed differently are added to `kept`.
 */
export function merge(base: unknown, theirs: unknown, mine: unknown, kept: string[], path = ''): unknown {
  if (sameJson(base, theirs)) return mine;
  if (sameJson(base, mine)) return theirs;
  if (sameJson(theirs, mine)) return mine;
  const [b, t, m] = [byName(base, path), byName(theirs, path), byName(mine, path)];
  if (!isObject(t) || !isObject(m)) {
    kept.push(path);
    return mine;
  }
  const merged: Record<string, unknown> = {};
  // The document's order first, then manual additions.
  for (const key of new Set([...Object.keys(t), ...Object.keys(m)])) {
    const value = merge(
      isObject(b) ? own(b, key) : undefined,
      own(t, key),
      own(m, key),
      kept,
      pointerTo(path, key),
    );
    if (value !== undefined)
      Object.defineProperty(merged, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return Array.isArray(mine) ? Object.values(merged) : merged;
}

/** The registry changes that apply a plan, except for references to forgotten tools elsewhere. */
export function changesFor(plan: Omit<ImportPlan, 'origins'>): RegistryChange[] {
  const changes: RegistryChange[] = [];
  if (plan.writesApi) changes.push({ op: 'put', kind: 'api', entity: plan.api });
  for (const { tool } of plan.added) changes.push({ op: 'put', kind: 'tool', entity: tool });
  for (const { tool } of plan.changed) changes.push({ op: 'put', kind: 'tool', entity: tool });
  for (const { tool } of plan.removed) changes.push({ op: 'put', kind: 'tool', entity: tool });
  for (const { id } of plan.forgotten) changes.push({ op: 'delete', kind: 'tool', id });
  return changes;
}
