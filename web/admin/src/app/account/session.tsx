import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { askSession } from '../../api/ask-session.ts';
import { request, watchSignedOut } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import type { Session } from '../../api/resources.ts';
import { keepCsrf, keepToken } from '../../api/token.ts';
import { keepRole, maybeSignedIn } from './known-role.ts';

/** Who is in, as far as the gateway said. */
export type SessionState =
  | { readonly kind: 'out' }
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'in'; readonly session: Session };

interface SessionContext {
  readonly state: SessionState;
  readonly enter: (session: Session) => void;
  readonly signInWithToken: (token: string) => Promise<void>;
  readonly signOut: (everywhere?: boolean) => Promise<void>;
}

const Context = createContext<SessionContext | null>(null);

/** Asks who is in, before anything is drawn. */
export async function firstState(): Promise<SessionState> {
  if (!maybeSignedIn(location)) return { kind: 'out' };
  try {
    const session = await askSession();
    keepSession(session);
    return { kind: 'in', session };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) return { kind: 'unreachable', error };
    forgetSession();
    return { kind: 'out' };
  }
}

function keepSession(session: Session): void {
  keepCsrf(session.csrf);
  keepRole(session.role);
}

function forgetSession(): void {
  keepToken(null);
  keepCsrf('');
  keepRole(null);
}

/** Knows who is in, and how they came in: with a session cookie, or with the admin token. */
export function SessionProvider({ first, children }: { first: SessionState; children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState(first);
  const enter = useCallback((session: Session) => {
    keepSession(session);
    setState({ kind: 'in', session });
  }, []);
  const leave = useCallback(() => {
    forgetSession();
    queries.clear();
    setState({ kind: 'out' });
  }, [queries]);
  useEffect(
    () => watchSignedOut(() => setState((before) => (before.kind === 'in' ? { kind: 'out' } : before))),
    [],
  );
  const door = useMemo<SessionContext>(
    () => ({
      state,
      enter,
      signInWithToken: async (token) => {
        keepToken(token);
        try {
          enter(await askSession());
        } catch (error) {
          keepToken(null);
          throw error;
        }
      },
      signOut: async (everywhere = false) => {
        if (state.kind === 'in' && state.session.via === 'session')
          await request('DELETE', everywhere ? '/sessions' : '/session', {});
        leave();
      },
    }),
    [state, enter, leave],
  );
  return <Context value={door}>{children}</Context>;
}

export function useSession(): SessionContext {
  const door = use(Context);
  if (door === null) throw new Error('SessionProvider is missing');
  return door;
}
