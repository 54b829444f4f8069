import type { HttpRequest } from '../../lib/http-exchange.ts';
import type { ClientName } from '../../domain/call.ts';
import { headerOf, legacyRevisions } from '../context.ts';
import type { McpContext } from '../context.ts';
import { createLiveSessions } from './live-sessions.ts';
import type { EndedSessions, LiveSession, RunningExchange } from './live-sessions.ts';
import type { Session, SessionTokens } from './session-token.ts';

/**
 * How a request relates to a session: none given, not one of ours (both served without a session), ended, or valid.
 */
export type SessionState =
  | { readonly kind: 'none' | 'unknown' | 'gone' }
  | { readonly kind: 'valid'; readonly session: Session };

const maxRemembered = 10_000;

/** The sessions of the legacy revisions: their tokens, and what this process keeps about those it serves. */
export function createLegacySessions(tokens: SessionTokens, ended: EndedSessions, now: () => number) {
  const live = createLiveSessions(ended);
  // Verifying a token costs a signature, so verified tokens are remembered.
  const read = new Map<string, Session>();

  function readToken(token: string, context: McpContext): SessionState {
    const { id: serverId } = context.view.server;
    const known = read.get(token);
    if (
      known &&
      known.serverId === serverId &&
      known.callerId === context.caller.id &&
      known.expiresAtMs > now()
    ) {
      return { kind: 'valid', session: known };
    }
    const state = tokens.read(token, serverId, context.caller.id);
    if (state.state === 'unknown') return { kind: 'unknown' };
    if (state.state === 'expired') return { kind: 'gone' };
    if (read.size >= maxRemembered) read.delete(read.keys().next().value!);
    read.set(token, state.session);
    return { kind: 'valid', session: state.session };
  }

  return {
    live,

    of(req: HttpRequest, context: McpContext): SessionState {
      const token = headerOf(req, 'mcp-session-id');
      if (token === undefined || token === '') return { kind: 'none' };
      const state = readToken(token, context);
      return state.kind === 'valid' && live.isEnded(state.session) ? { kind: 'gone' } : state;
    },

    /** Opens a session and returns its ID. */
    open(
      context: McpContext,
      revision: string | undefined,
      client: ClientName | null,
      capabilities: Record<string, unknown> | undefined,
    ): string {
      return tokens.issue({
        serverId: context.view.server.id,
        callerId: context.caller.id,
        revision:
          revision !== undefined && legacyRevisions.includes(revision) ? revision : legacyRevisions[0]!,
        client,
        capabilities: capabilities ?? {},
      }).token;
    },

    liveOf(session: Session): LiveSession {
      return live.of(session);
    },

    /** The requests of a session that are being answered here, by ID. */
    running(session: Session): Map<string | number, RunningExchange> {
      return live.of(session).running;
    },
  };
}

export type LegacySessions = ReturnType<typeof createLegacySessions>;
