import type { ReactNode } from 'react';
import type { Session } from '../../api/resources.ts';
import styles from './permissions.module.css';
import { useSession } from './session.tsx';

type Role = Session['role'];

const rank: Readonly<Record<Role, number>> = { none: 0, viewer: 1, editor: 2, owner: 3 };

/**
 * Whether the signed-in user has at least this role. The gateway enforces roles; this only avoids offering what it
 * would reject.
 */
export function useHasRole(role: Role): boolean {
  const { state } = useSession();
  return state.kind === 'in' && rank[state.session.role] >= rank[role];
}

/** Shows a control only to users who have the role. */
export function RequireRole({ role = 'editor', children }: { role?: Role; children: ReactNode }) {
  return useHasRole(role) && children;
}

/** Disables fields for users without the role. Keep controls that everyone can use outside of it. */
export function EditableFields({ role = 'editor', children }: { role?: Role; children: ReactNode }) {
  return (
    <fieldset className={styles.editable} disabled={!useHasRole(role)}>
      {children}
    </fieldset>
  );
}
