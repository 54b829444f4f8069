import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow } from '../api/follow.ts';
import { useSession } from './account/session.tsx';
import { pathsTouchedBy } from './touched-paths.ts';

/** Refreshes what is on screen when anyone changes it, here or elsewhere. */
export function LiveChanges() {
  const queries = useQueryClient();
  const { state } = useSession();
  const isExpired = state.kind === 'in' && state.isExpired;
  useEffect(() => {
    if (isExpired) return undefined;
    return follow(
      '/events',
      undefined,
      ({ name, text }) => {
        if (name !== 'change') return;
        for (const path of pathsTouchedBy(text)) void queries.invalidateQueries({ queryKey: [path] });
      },
      () => void queries.invalidateQueries(),
    );
  }, [queries, isExpired]);
  return null;
}
