import type { AccessKey } from '../domain/access-key.ts';
import type { AdminPrincipal } from '../domain/admin.ts';
import type { Caller } from '../domain/call.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Server } from '../domain/server.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import { hashSecret } from './secrets.ts';

/** What a request shows to be let in. */
export interface Presented {
  readonly authorization?: string;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** A query parameter; asked only when the server allows keys there. */
  readonly query: (name: string) => string | undefined;
}

/** Anyone, on an open server. */
export const anonymous: Caller = { id: 'anonymous', kind: 'anonymous', label: 'anonymous' };

/** The person at this machine's command line. */
export const localCaller: Caller = { id: 'local', kind: 'local', label: 'command line' };

/** An admin who tries a tool. */
export function adminCaller(admin: AdminPrincipal): Caller {
  return { id: `admin:${admin.id}`, kind: 'admin', label: admin.name };
}

/** Decides who is calling a server, or refuses. The one decision for every surface. */
export function identify(snapshot: Snapshot, server: Server, presented: Presented, nowMs: number): Caller {
  const { policy } = server;
  if (policy.kind === 'open') return anonymous;
  if (policy.kind !== 'key') {
    throw new HandrailError(
      'unauthenticated',
      `The access policy "${policy.kind}" of this server is not available in this version.`,
    );
  }
  const secret = presentedKey(policy, presented);
  if (secret === undefined) {
    throw new HandrailError(
      'unauthenticated',
      'This server needs an access key: send it as "Authorization: Bearer …".',
    );
  }
  const key = snapshot.keyByHash.get(hashSecret(secret));
  if (key === undefined || !isUsable(key, nowMs)) {
    throw new HandrailError('unauthenticated', 'The access key is not known, has expired or was revoked.');
  }
  if (key.serverIds !== undefined && !key.serverIds.includes(server.id)) {
    throw new HandrailError('forbidden', 'The access key does not open this server.');
  }
  return callerOf(key);
}

function presentedKey(
  policy: { header?: string; allowQuery?: boolean },
  presented: Presented,
): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(presented.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  if (policy.header !== undefined) return presented.header(policy.header.toLowerCase());
  return policy.allowQuery ? presented.query('key') : undefined;
}

function isUsable(key: AccessKey, nowMs: number): boolean {
  return key.revokedAtMs === undefined && (key.expiresAtMs === undefined || key.expiresAtMs > nowMs);
}

const callers = new WeakMap<AccessKey, Caller>();

function callerOf(key: AccessKey): Caller {
  const known = callers.get(key);
  if (known !== undefined) return known;
  const caller: Caller = {
    id: `key:${key.id}`,
    kind: 'key',
    label: key.name,
    ...(key.toolIds !== undefined && { toolIds: new Set(key.toolIds) }),
    ...(key.ratePerMinute !== undefined && { ratePerMinute: key.ratePerMinute }),
  };
  callers.set(key, caller);
  return caller;
}

/** Whether a caller may call a tool; what it may not call it does not see either. */
export function mayCall(caller: Caller, toolId: string): boolean {
  return caller.toolIds === undefined || caller.toolIds.has(toolId);
}
