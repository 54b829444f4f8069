import type { AccessKey } from '../domain/access-key.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import { callerIdOf, isUsable } from './callers.ts';
import type { People } from './people.ts';
import { tokenPrincipalId } from './sign-in.ts';

type Keys = Pick<Snapshot, 'keys'>;

/** The callers whose last key was revoked or deleted by a change, so that their data can be removed. */
export function endedCallers(after: Keys, before: Keys): readonly string[] {
  if (after.keys === before.keys) return [];
  const left = new Set<string>();
  for (const key of after.keys.values()) if (key.revokedAtMs === undefined) left.add(callerIdOf(key));
  const ended = new Set<string>();
  for (const key of before.keys.values()) {
    const id = callerIdOf(key);
    if (key.revokedAtMs === undefined && !left.has(id)) ended.add(id);
  }
  return [...ended];
}

/** What determines whether a link is still valid. */
interface LinkOwner {
  readonly snapshot: Pick<Snapshot, 'keys' | 'servers'>;
  readonly people: Pick<People, 'personAtVersion'>;
  readonly serverId: string;
  readonly callerId: string;
  /** The tools that the link was created for. */
  readonly toolIds: readonly string[];
  readonly nowMs: number;
}

/**
 * Whether a caller who is not part of this request could still use a server and these tools. Callers with a token from an
 * external issuer are trusted for the few minutes that a link is valid.
 */
export async function isStillCaller({
  snapshot,
  people,
  serverId,
  callerId,
  toolIds,
  nowMs,
}: LinkOwner): Promise<boolean> {
  const server = snapshot.servers.get(serverId);
  if (server === undefined || !server.enabled) return false;
  if (callerId === 'local') return true;
  if (callerId.startsWith('admin:')) {
    const id = callerId.slice('admin:'.length);
    return id === tokenPrincipalId || (await people.personAtVersion(id)) !== null;
  }
  if (callerId.startsWith('person:'))
    return (await people.personAtVersion(callerId.slice('person:'.length))) !== null;
  const { kind } = server.policy;
  if (kind === 'open') return true;
  if (callerId.startsWith('oauth:')) return kind === 'oauth';
  if (kind === 'oauth') return false;
  const opens = (key: AccessKey): boolean =>
    callerIdOf(key) === callerId &&
    isUsable(key, nowMs) &&
    (key.serverIds?.includes(serverId) ?? true) &&
    toolIds.every((toolId) => key.toolIds?.includes(toolId) ?? true);
  return [...snapshot.keys.values()].some(opens);
}
