import type { AccessKey } from '../domain/access-key.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import { type Caller, mayUseTool } from '../domain/call.ts';
import type { Server } from '../domain/server.ts';
import { callerIdOf, isUsable, personCaller } from './callers.ts';
import type { ServerRules } from './server-rules.ts';
import { idsIn } from '../registry/id-index.ts';
import type { RegistryChange } from '../storage/ports.ts';
import type { People } from './people.ts';
import { tokenPrincipalId } from './sign-in.ts';

type Keys = Pick<Snapshot, 'keys' | 'keysByCaller'>;

/**
 * The callers whose last key was revoked or deleted by some changes, so that their data can be removed. Without changes,
 * everything may have changed.
 */
export function endedCallers(
  after: Keys,
  before: Keys,
  changes: readonly RegistryChange[],
): readonly string[] {
  if (after.keys === before.keys) return [];
  const changed =
    changes.length === 0
      ? before.keys.keys()
      : changes.flatMap((change) =>
          change.kind === 'key' ? [change.op === 'put' ? change.entity.id : change.id] : [],
        );
  const ended = new Set<string>();
  for (const keyId of changed) {
    const key = before.keys.get(keyId);
    if (key === undefined || key.revokedAtMs !== undefined) continue;
    const id = callerIdOf(key);
    if (!keysOf(after, key.subjectId ?? key.id).some(({ revokedAtMs }) => revokedAtMs === undefined))
      ended.add(id);
  }
  return [...ended];
}

/** The keys that stand for a caller. */
function keysOf({ keys, keysByCaller }: Keys, subjectId: string): AccessKey[] {
  return idsIn(keysByCaller, subjectId).map((id) => keys.get(id)!);
}

/** What determines whether a link is still valid. */
interface LinkOwner {
  readonly snapshot: Pick<Snapshot, 'keys' | 'keysByCaller' | 'servers'>;
  readonly people: Pick<People, 'personAtVersion'>;
  readonly serverRules: ServerRules;
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
  serverRules,
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
  if (callerId.startsWith('person:')) {
    const now = await people.personAtVersion(callerId.slice('person:'.length));
    return now !== null && mayStillUse(serverRules, server, personCaller(now), toolIds);
  }
  const { kind } = server.policy;
  if (kind === 'open') return true;
  if (callerId.startsWith('oauth:')) return kind === 'oauth';
  if (kind === 'oauth') return false;
  const opens = (key: AccessKey): boolean =>
    isUsable(key, nowMs) &&
    (key.serverIds?.includes(serverId) ?? true) &&
    toolIds.every((toolId) => key.toolIds?.includes(toolId) ?? true);
  return callerId.startsWith('key:') && keysOf(snapshot, callerId.slice('key:'.length)).some(opens);
}

function mayStillUse(
  rules: ServerRules,
  server: Server,
  caller: Caller,
  toolIds: readonly string[],
): boolean {
  try {
    const restricted = rules.apply(server, caller);
    return toolIds.every((toolId) => mayUseTool(restricted, toolId));
  } catch {
    // No rule is about them any more.
    return false;
  }
}
