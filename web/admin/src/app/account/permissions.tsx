import type { ReactNode } from 'react';
import type { Session } from '../../api/resources.ts';
import styles from './permissions.module.css';
import { useSession } from './session.tsx';

type Role = Session['role'];

const rank: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, owner: 2 };

/** Whether whoever is signed in may do what needs this role. The gateway decides; this only spares them the refusal. */
export function useHasRole(role: Role): boolean {
  const { state } = useSession();
  return state.kind === 'in' && rank[state.session.role] >= rank[role];
}

/** Shows a control only to those who may use it. */
export function RequireRole({ role = 'editor', children }: { role?: Role; children: ReactNode }) {
  return useHasRole(role) && children;
}

/** Fields that those without the role can read and not change. Keep what everyone may press outside of it. */
export function EditableFields({ role = 'editor', children }: { role?: Role; children: ReactNode }) {
  return (
    <fieldset className={styles.editable} disabled={!useHasRole(role)}>
      {children}
    </fieldset>
  );
}
