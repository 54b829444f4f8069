import type { AccessKey } from '../../domain/access-key.ts';
import { registryErrors } from '../../domain/error-messages/registry.ts';
import { newId } from '../../domain/ids.ts';
import type { Decision } from '../registry.ts';
import { callableId } from './composed-tools.ts';
import { findServer, fresh, missing, type Moment, revise } from './find-and-revise.ts';
import type { Snapshot } from '../snapshot.ts';

/** What an operator enters for a new access key; servers and tools are IDs, slugs or names. */
export interface NewKey {
  readonly name: string;
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly expiresAtMs?: number;
  readonly ratePerMinute?: number;
}

/** What an operator changes in a key; null removes a restriction. */
export type KeyPatch = { readonly [F in keyof NewKey]?: NewKey[F] | (F extends 'name' ? never : null) };

/** Registers a key by its hash. */
export function createKey(
  snapshot: Snapshot,
  input: NewKey,
  secret: { hash: string; hint: string },
  moment: Moment,
): Decision<AccessKey> {
  const key: AccessKey = {
    ...fresh(newId('key', moment.nowMs), moment),
    name: input.name,
    ...secret,
    ...scopeOf(snapshot, input),
  };
  return { changes: [{ op: 'put', kind: 'key', entity: key }], result: key };
}

/**
 * Creates a key that replaces another: the same name and scope, a new secret. The old one stays valid during
 * the overlap, so that clients can be updated one by one.
 */
export function rotateKey(
  snapshot: Snapshot,
  id: string,
  secret: { hash: string; hint: string },
  overlapMs: number,
  moment: Moment,
): Decision<AccessKey> {
  const old = findKey(snapshot, id);
  if (old.revokedAtMs !== undefined) {
    throw registryErrors.revokedKey();
  }
  const untilMs = Math.min(old.expiresAtMs ?? Infinity, moment.nowMs + overlapMs);
  const key: AccessKey = {
    ...old,
    ...fresh(newId('key', moment.nowMs), moment),
    ...secret,
    replacesId: old.id,
    subjectId: old.subjectId ?? old.id,
  };
  const retired = revise(old, { expiresAtMs: untilMs }, undefined, moment);
  return {
    changes: [
      { op: 'put', kind: 'key', entity: retired },
      { op: 'put', kind: 'key', entity: key },
    ],
    result: key,
  };
}

/** Changes what a key gives access to, never the key itself. */
export function updateKey(
  snapshot: Snapshot,
  id: string,
  input: KeyPatch,
  expectedRevision: number | undefined,
  moment: Moment,
): Decision<AccessKey> {
  const patch = { ...(input.name !== undefined && { name: input.name }), ...scopeOf(snapshot, input) };
  const key = revise(findKey(snapshot, id), patch, expectedRevision, moment);
  return { changes: [{ op: 'put', kind: 'key', entity: key }], result: key };
}

/** Revokes a key immediately; it stays listed, so that records that name it can be read. */
export function revokeKey(snapshot: Snapshot, id: string, moment: Moment): Decision<AccessKey> {
  const current = findKey(snapshot, id);
  if (current.revokedAtMs !== undefined) return { changes: [], result: current };
  const key = revise(current, { revokedAtMs: moment.nowMs }, undefined, moment);
  return { changes: [{ op: 'put', kind: 'key', entity: key }], result: key };
}

/** Deletes a key, which ends its access. */
export function deleteKey(snapshot: Snapshot, id: string): Decision<AccessKey> {
  const key = findKey(snapshot, id);
  return { changes: [{ op: 'delete', kind: 'key', id: key.id }], result: key };
}

/** Finds a key by ID, or throws `not_found`. */
export function findKey(snapshot: Snapshot, id: string): AccessKey {
  return snapshot.keys.get(id) ?? missing('access key', id);
}

function scopeOf(snapshot: Snapshot, input: KeyPatch): Partial<AccessKey> {
  const { servers, tools, expiresAtMs, ratePerMinute } = input;
  // A field that is present but undefined is removed from the key; one that is absent stays unchanged.
  return {
    ...(servers !== undefined && {
      serverIds: servers?.map((server) => findServer(snapshot, server).id),
    }),
    ...(tools !== undefined && { toolIds: tools?.map((tool) => callableId(snapshot, tool)) }),
    ...(expiresAtMs !== undefined && { expiresAtMs: expiresAtMs ?? undefined }),
    ...(ratePerMinute !== undefined && { ratePerMinute: ratePerMinute ?? undefined }),
  };
}
