import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ClientName } from '../../domain/call.ts';

/** A legacy session: everything a later request may rely on, so that any instance can serve it. */
export interface Session {
  readonly id: string;
  readonly serverId: string;
  readonly callerId: string;
  readonly revision: string;
  readonly client: ClientName | null;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly expiresAtMs: number;
}

export type ReadSession =
  | { readonly state: 'valid' | 'expired'; readonly session: Session }
  | { readonly state: 'unknown' };

/** How long a session lasts after its `initialize`. */
export const sessionLifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** The maximum length of a session ID; ours are shorter. */
export const maxSessionIdLength = 4096;
const maxCapabilitiesBytes = 1024;

/**
 * Writes and reads session IDs: the session itself, signed with a key that all instances share. They are bound to
 * server and caller, so another caller's token counts as unknown. Nothing has to be stored for a session to survive a
 * restart or move to another instance.
 */
export function createSessionTokens(key: Uint8Array, now: () => number) {
  const sign = (payload: string) =>
    createHmac('sha256', key).update('mcp-session\n').update(payload).digest();

  return {
    issue(of: Omit<Session, 'id' | 'expiresAtMs'>): { token: string; session: Session } {
      const session: Session = {
        ...of,
        capabilities:
          Buffer.byteLength(JSON.stringify(of.capabilities)) <= maxCapabilitiesBytes ? of.capabilities : {},
        id: randomBytes(12).toString('base64url'),
        expiresAtMs: now() + sessionLifetimeMs,
      };
      const payload = Buffer.from(
        JSON.stringify([
          session.id,
          session.serverId,
          session.callerId,
          session.revision,
          session.client,
          session.capabilities,
          session.expiresAtMs,
        ]),
      ).toString('base64url');
      return { token: `${payload}.${sign(payload).toString('base64url')}`, session };
    },

    read(token: string, serverId: string, callerId: string): ReadSession {
      const dot = token.indexOf('.');
      if (dot <= 0 || token.length > maxSessionIdLength) return { state: 'unknown' };
      const payload = token.slice(0, dot);
      const signature = Buffer.from(token.slice(dot + 1), 'base64url');
      const expected = sign(payload);
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
        return { state: 'unknown' };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- authenticated: only `issue` can have written it
      const [id, forServer, forCaller, revision, client, capabilities, expiresAtMs] = JSON.parse(
        Buffer.from(payload, 'base64url').toString('utf8'),
      ) as [string, string, string, string, ClientName | null, Record<string, unknown>, number];
      if (forServer !== serverId || forCaller !== callerId) return { state: 'unknown' };
      const session = { id, serverId, callerId, revision, client, capabilities, expiresAtMs };
      return { state: expiresAtMs > now() ? 'valid' : 'expired', session };
    },
  };
}

export type SessionTokens = ReturnType<typeof createSessionTokens>;
