import { Badge, Tooltip } from '@mantine/core';
import { Eye } from 'lucide-react';
import type { Session } from '../../api/resources.ts';
import { useSession } from '../../app/account/session.tsx';
import { useText } from '../../i18n/text.tsx';

/** Explains to users without the role why they can't edit the page. */
export default function ViewOnly({ role }: { role: Session['role'] }) {
  const t = useText();
  const { state } = useSession();
  if (state.kind !== 'in') return null;
  const hint = t('permissions.hint', { role: t(`role.${role}`), mine: t(`role.${state.session.role}`) });
  return (
    <Tooltip label={hint} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Badge color="gray" tabIndex={0} leftSection={<Eye size={12} aria-hidden />} aria-description={hint}>
        {t('permissions.viewOnly')}
      </Badge>
    </Tooltip>
  );
}
