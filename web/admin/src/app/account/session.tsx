import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { request, onSignedOut } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import type { Session } from '../../api/resources.ts';
import { saveCsrf, saveToken } from '../../api/token.ts';
import { saveRole, maybeSignedIn } from './known-role.ts';

/** The session state, as last reported by the gateway. */
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

const fetchSession = (): Promise<Session> => request('GET', '/session', {});

const Context = createContext<SessionContext | null>(null);

/** Loads the session before the first render. */
export async function loadSession(): Promise<SessionState> {
  if (!maybeSignedIn(location)) return { kind: 'out' };
  try {
    const session = await fetchSession();
    saveSession(session);
    return { kind: 'in', session };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) return { kind: 'unreachable', error };
    forgetSession();
    return { kind: 'out' };
  }
}

function saveSession(session: Session): void {
  saveCsrf(session.csrf);
  saveRole(session.role);
}

function forgetSession(): void {
  saveToken(null);
  saveCsrf('');
  saveRole(null);
}

/** Provides the session: signed in with a session cookie or the admin token, or signed out. */
export function SessionProvider({ first, children }: { first: SessionState; children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState(first);
  const enter = useCallback((session: Session) => {
    saveSession(session);
    setState({ kind: 'in', session });
  }, []);
  const leave = useCallback(() => {
    forgetSession();
    queries.clear();
    setState({ kind: 'out' });
  }, [queries]);
  useEffect(
    () => onSignedOut(() => setState((before) => (before.kind === 'in' ? { kind: 'out' } : before))),
    [],
  );
  const context = useMemo<SessionContext>(
    () => ({
      state,
      enter,
      signInWithToken: async (token) => {
        saveToken(token);
        try {
          enter(await fetchSession());
        } catch (error) {
          saveToken(null);
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
  return <Context value={context}>{children}</Context>;
}

export function useSession(): SessionContext {
  const context = use(Context);
  if (context === null) throw new Error('SessionProvider is missing');
  return context;
}
