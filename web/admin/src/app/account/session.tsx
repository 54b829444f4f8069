import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { onSignedOut, request, resumeRequests } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import type { Session } from '../../api/resources.ts';
import { saveCsrf, saveToken } from '../../api/token.ts';
import { saveRole, maybeSignedIn } from './known-role.ts';

/** The session state, as last reported by the gateway. */
export type SessionState =
  | { readonly kind: 'out' }
  | { readonly kind: 'unreachable'; readonly error: unknown }
  /** `isExpired` while the gateway no longer accepts it: the page stays as it is until the user signs in again. */
  | { readonly kind: 'in'; readonly session: Session; readonly isExpired: boolean };

interface SessionContext {
  readonly state: SessionState;
  readonly enter: (session: Session) => void;
  readonly signInWithToken: (token: string) => Promise<void>;
  /** Continues if the user has signed in again in another tab. */
  readonly tryAgain: () => void;
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
    return { kind: 'in', session, isExpired: false };
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

const leaveListeners = new Set<() => void>();

/** Calls the listener when the user signs out, to drop what the session left in this tab. */
export function onLeave(listener: () => void): void {
  leaveListeners.add(listener);
}

const isSamePerson = (one: Session, other: Session): boolean =>
  one.via === other.via && one.name === other.name && one.role === other.role;

/** Provides the session: signed in with a session cookie or the admin token, or signed out. */
export function SessionProvider({ first, children }: { first: SessionState; children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState(first);
  const drop = useCallback(() => {
    for (const listener of leaveListeners) listener();
    queries.clear();
  }, [queries]);
  const enter = useCallback(
    (session: Session) => {
      saveSession(session);
      resumeRequests();
      if (state.kind === 'in' && !isSamePerson(state.session, session)) drop();
      setState({ kind: 'in', session, isExpired: false });
      void queries.invalidateQueries();
    },
    [state, drop, queries],
  );
  const leave = useCallback(() => {
    forgetSession();
    drop();
    setState({ kind: 'out' });
  }, [drop]);
  useEffect(
    () =>
      onSignedOut(() =>
        setState((before) => (before.kind === 'in' ? { ...before, isExpired: true } : before)),
      ),
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
      tryAgain: () => void fetchSession().then(enter, () => undefined),
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
