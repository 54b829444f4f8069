import { Badge, Tooltip } from '@mantine/core';
import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Session } from '../api/resources.ts';
import { useText } from '../i18n/text.tsx';
import styles from './may.module.css';
import { useSession } from './session.tsx';

type Role = Session['role'];

const rank: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, owner: 2 };

/** Whether whoever is signed in may do what needs this role. The gateway decides; this only spares them the refusal. */
export function useMay(role: Role): boolean {
  const { state } = useSession();
  return state.kind === 'in' && rank[state.session.role] >= rank[role];
}

/** Shows a control only to those who may use it. */
export function Only({ role = 'editor', children }: { role?: Role; children: ReactNode }) {
  return useMay(role) && children;
}

/** Fields that those without the role can read and not change. Keep what everyone may press outside of it. */
export function Editable({ role = 'editor', children }: { role?: Role; children: ReactNode }) {
  return (
    <fieldset className={styles.editable} disabled={!useMay(role)}>
      {children}
    </fieldset>
  );
}

/** Says why a page cannot be changed, to those who cannot. */
export function ViewOnly({ role }: { role: Role }) {
  const t = useText();
  const { state } = useSession();
  if (useMay(role) || state.kind !== 'in') return null;
  const hint = t('may.hint', { role: t(`role.${role}`), mine: t(`role.${state.session.role}`) });
  return (
    <Tooltip label={hint} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Badge color="gray" tabIndex={0} leftSection={<Eye size={12} aria-hidden />} aria-description={hint}>
        {t('may.viewOnly')}
      </Badge>
    </Tooltip>
  );
}
