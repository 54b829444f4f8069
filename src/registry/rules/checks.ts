import type { Check } from '../../domain/models/check.ts';
import { newId } from '../../domain/ids.ts';
import type { Decision } from '../registry.ts';
import { findServer, fresh, missing, type Moment, revise } from './find-and-revise.ts';
import type { Snapshot } from '../snapshot.ts';

/** What an operator enters for a check. */
export type NewCheck = Pick<Check, 'name' | 'question' | 'mode' | 'expect'>;

/** What an operator changes in a check; null for the mode restores the server's own. */
export type CheckPatch = Partial<Omit<NewCheck, 'mode'>> & { readonly mode?: Check['mode'] | null };

/** Adds a check to a server. */
export function createCheck(
  snapshot: Snapshot,
  server: string,
  input: NewCheck,
  moment: Moment,
): Decision<Check> {
  const check: Check = {
    ...fresh(newId('check', moment.nowMs), moment),
    serverId: findServer(snapshot, server).id,
    ...input,
  };
  return { changes: [{ op: 'put', kind: 'check', entity: check }], result: check };
}

/** Edits a check. */
export function updateCheck(
  snapshot: Snapshot,
  id: string,
  { mode, ...patch }: CheckPatch,
  expectedRevision: number | undefined,
  moment: Moment,
): Decision<Check> {
  const check = revise(
    findCheck(snapshot, id),
    { ...patch, ...(mode !== undefined && { mode: mode ?? undefined }) },
    expectedRevision,
    moment,
  );
  return { changes: [{ op: 'put', kind: 'check', entity: check }], result: check };
}

/** Deletes a check; its past results stay in the history. */
export function deleteCheck(snapshot: Snapshot, id: string): Decision<Check> {
  const check = findCheck(snapshot, id);
  return { changes: [{ op: 'delete', kind: 'check', id: check.id }], result: check };
}

/** Finds a check by ID, or throws `not_found`. */
export function findCheck(snapshot: Snapshot, id: string): Check {
  return snapshot.checks.get(id) ?? missing('check', id);
}

/** The checks of a server, oldest first. */
export function checksOf(snapshot: Snapshot, serverId: string): Check[] {
  return [...snapshot.checks.values()].filter((check) => check.serverId === serverId);
}
