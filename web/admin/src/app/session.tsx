import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { askSession } from '../api/ask-session.ts';
import { request, watchSignedOut } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import type { Session } from '../api/resources.ts';
import { keepCsrf, keepToken } from '../api/token.ts';

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'out' }
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'in'; readonly session: Session };

interface SessionDoor {
  readonly state: State;
  readonly enter: (session: Session) => void;
  readonly signInWithToken: (token: string) => Promise<void>;
  readonly signOut: (everywhere?: boolean) => Promise<void>;
}

const Context = createContext<SessionDoor | null>(null);

/** Knows who is in, and how they came in: with a session cookie, or with the admin token. */
export function SessionProvider({ first, children }: { first: Promise<Session>; children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ kind: 'asking' });
  const enter = useCallback((session: Session) => {
    keepCsrf(session.csrf);
    setState({ kind: 'in', session });
  }, []);
  const leave = useCallback(() => {
    keepToken(null);
    keepCsrf('');
    queries.clear();
    setState({ kind: 'out' });
  }, [queries]);
  useEffect(() => {
    first.then(enter, (error: unknown) => {
      if (error instanceof ProblemError && error.status < 500) leave();
      else setState({ kind: 'unreachable', error });
    });
  }, [first, enter, leave]);
  useEffect(
    () => watchSignedOut(() => setState((before) => (before.kind === 'in' ? { kind: 'out' } : before))),
    [],
  );
  const door = useMemo<SessionDoor>(
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

export function useSession(): SessionDoor {
  const door = use(Context);
  if (door === null) throw new Error('SessionProvider is missing');
  return door;
}
